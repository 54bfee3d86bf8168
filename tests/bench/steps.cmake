# Steps from submit to stored result on a real coordinator: build/<preset>/bin/steps_bench
if(NOT TARGET fleetmark-coordinator)
  message(STATUS "steps_bench is left out: it needs fleetmark-coordinator")
  return()
endif()
fm_add_program(steps_bench
  SOURCES
    ${CMAKE_CURRENT_LIST_DIR}/steps_agent.cpp
    ${CMAKE_CURRENT_LIST_DIR}/steps_bench.cpp
    ${CMAKE_CURRENT_LIST_DIR}/steps_fleet.cpp
  DEPS CLI11::CLI11 fleetmark::common_codec fleetmark::common_crypto fleetmark::common_platform
       fleetmark::common_rpc fleetmark::schema)
add_dependencies(steps_bench fleetmark-coordinator)
