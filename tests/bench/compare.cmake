# How long `fleetmark compare` takes without its start: build/<preset>/bin/compare_bench [--json]
fm_add_program(compare_bench
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/compare_bench.cpp
  DEPS fleetmark::common_base fleetmark::coordinator_compare fleetmark::coordinator_report)
