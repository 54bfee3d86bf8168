# Samples stored per second against COPY alone, and what a step costs in the database:
# build/<preset>/bin/store_bench [--json]
if(NOT TARGET fleetmark_test_database)
  message(STATUS "store_bench is left out: it needs the tests")
  return()
endif()
pkg_check_modules(LIBPQ REQUIRED IMPORTED_TARGET libpq)
fm_add_program(store_bench
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/store_bench.cpp
  DEPS fleetmark::coordinator_store fleetmark_test_database PkgConfig::LIBPQ)
