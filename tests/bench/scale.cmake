# Many agents and many steps on one coordinator: build/<preset>/bin/scale_bench
if(NOT TARGET fleetmark-coordinator)
  message(STATUS "scale_bench is left out: it needs fleetmark-coordinator")
  return()
endif()
fm_add_program(scale_bench
  SOURCES
    ${CMAKE_CURRENT_LIST_DIR}/process_cpu.cpp
    ${CMAKE_CURRENT_LIST_DIR}/scale_bench.cpp
    ${CMAKE_CURRENT_LIST_DIR}/steps_agent.cpp
    ${CMAKE_CURRENT_LIST_DIR}/steps_fleet.cpp
  DEPS CLI11::CLI11 fleetmark::common_codec fleetmark::common_crypto fleetmark::common_platform
       fleetmark::common_rpc fleetmark::schema)
add_dependencies(scale_bench fleetmark-coordinator)
