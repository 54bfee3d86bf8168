# How long a report of many samples takes and how much memory: build/<preset>/bin/report_bench [samples]
fm_add_program(report_bench
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/report_bench.cpp
  DEPS fleetmark::common_base fleetmark::coordinator_report)
