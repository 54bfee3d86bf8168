# No-op RPC against a bare socket and against gRPC: build/<preset>/bin/rpc_bench
pkg_check_modules(GRPC IMPORTED_TARGET grpc++)
find_package(Protobuf QUIET)
find_program(PROTOC protoc)
find_program(GRPC_CPP_PLUGIN grpc_cpp_plugin)
if(NOT GRPC_FOUND OR NOT Protobuf_FOUND OR NOT PROTOC OR NOT GRPC_CPP_PLUGIN OR NOT TARGET fleetmark_rpc_test_support)
  message(STATUS "rpc_bench is left out: it needs the tests and libgrpc++-dev, libprotobuf-dev, protobuf-compiler-grpc")
  return()
endif()
set(rpc_bench_out ${CMAKE_CURRENT_BINARY_DIR}/rpc_bench_proto)
file(MAKE_DIRECTORY ${rpc_bench_out})
add_custom_command(
  OUTPUT ${rpc_bench_out}/rpc_bench.pb.cc ${rpc_bench_out}/rpc_bench.grpc.pb.cc
  COMMAND ${PROTOC} --proto_path=${CMAKE_CURRENT_LIST_DIR} --cpp_out=${rpc_bench_out}
          --grpc_out=${rpc_bench_out} --plugin=protoc-gen-grpc=${GRPC_CPP_PLUGIN}
          ${CMAKE_CURRENT_LIST_DIR}/rpc_bench.proto
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/rpc_bench.proto
  VERBATIM)
add_library(rpc_bench_proto STATIC
  ${rpc_bench_out}/rpc_bench.pb.cc ${rpc_bench_out}/rpc_bench.grpc.pb.cc)
target_include_directories(rpc_bench_proto SYSTEM PUBLIC ${rpc_bench_out})
target_link_libraries(rpc_bench_proto PUBLIC PkgConfig::GRPC protobuf::libprotobuf)
fm_add_program(rpc_bench
  SOURCES
    ${CMAKE_CURRENT_LIST_DIR}/rpc_bench.cpp
    ${CMAKE_CURRENT_LIST_DIR}/rpc_bench_fleetmark.cpp
    ${CMAKE_CURRENT_LIST_DIR}/rpc_bench_grpc.cpp
    ${CMAKE_CURRENT_LIST_DIR}/rpc_bench_raw.cpp
  DEPS fleetmark_rpc_test_support rpc_bench_proto)
