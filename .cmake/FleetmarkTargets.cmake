# fm_add_library(common_base SOURCES a.cpp DEPS fleetmark::x PRIVATE_DEPS y::z)
#   static library with the alias fleetmark::common_base. DEPS are seen by its headers, PRIVATE_DEPS
#   only by its sources: a third-party header never leaves its folder.
#   ALONE: its sources are never compiled together (preset release does that elsewhere), since they
#   have local names in common.
# fm_add_program(fleetmark-agent SOURCES ... DEPS ...)
# fm_add_test(common_base_test LABELS unit SOURCES ... DEPS ...)
#   one GoogleTest program; every TEST is a test of its own for ctest.
# fm_add_database_test(coordinator_store_test NAME coordinator_store SUITES A B SOURCES ... DEPS ...)
#   as above with a PostgreSQL of its own for each process, so a suite is one test for ctest.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths below the source folder are stored as relative ones: other clones hit as well.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
      CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()

add_library(fleetmark_options INTERFACE)
target_compile_options(fleetmark_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Werror=switch
  -Werror=return-type
  # g++ 12 warns of an overlap inside its own std::string::replace (GCC bug 105329).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${FLEETMARK_WERROR}>:-Werror>)
if(FLEETMARK_SANITIZE)
  string(REPLACE ";" "," sanitizers "${FLEETMARK_SANITIZE}")
  # Without recovery: UBSan would print and go on, and the test would pass.
  target_compile_options(fleetmark_options INTERFACE -fsanitize=${sanitizers}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(fleetmark_options INTERFACE -fsanitize=${sanitizers})
endif()
if(FLEETMARK_FUZZ)
  target_compile_options(fleetmark_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
target_include_directories(fleetmark_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)

# KJ's interfaces have no virtual destructor, since kj::Own knows how to destroy what it owns, and the
# optimiser of g++ 12 can't follow the flag of kj::Maybe. Both warnings are off where KJ is used.
# Linked after fleetmark_options: of two flags that contradict each other the later one counts.
add_library(fleetmark_kj_options INTERFACE)
target_compile_options(fleetmark_kj_options INTERFACE
  -Wno-non-virtual-dtor $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)

function(fm_quiet_kj name target)
  if(name STREQUAL "common_rpc" OR "fleetmark::common_rpc" IN_LIST ARG_DEPS
     OR "fleetmark::common_rpc" IN_LIST ARG_PRIVATE_DEPS)
    target_link_libraries(${target} PRIVATE fleetmark_kj_options)
  endif()
endfunction()

function(fm_add_library name)
  cmake_parse_arguments(ARG "ALONE" "" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  add_library(fleetmark_${name} STATIC ${ARG_SOURCES})
  if(ARG_ALONE)
    set_target_properties(fleetmark_${name} PROPERTIES UNITY_BUILD OFF)
  endif()
  add_library(fleetmark::${name} ALIAS fleetmark_${name})
  target_link_libraries(fleetmark_${name} PUBLIC ${ARG_DEPS} PRIVATE fleetmark_options ${ARG_PRIVATE_DEPS})
  fm_quiet_kj(${name} fleetmark_${name})
endfunction()

function(fm_add_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE fleetmark_options ${ARG_DEPS})
  fm_quiet_kj(${name} ${name})
endfunction()

function(fm_add_test name)
  cmake_parse_arguments(ARG "ALONE" "TIMEOUT" "SOURCES;DEPS;LABELS;ENVIRONMENT" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  if(ARG_ALONE)
    set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  endif()
  target_link_libraries(${name} PRIVATE fleetmark_options ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  fm_quiet_kj(${name} ${name})
  # Two thirds of the build are tests, and most of that is GoogleTest's headers.
  target_precompile_headers(${name} REUSE_FROM fleetmark_test_headers)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${ARG_TIMEOUT})
  # Properties whose values are lists: gtest_discover_tests takes lists apart, so they are set in a
  # file that ctest reads after the discovered tests.
  set(environment "FLEETMARK_BIN=${CMAKE_BINARY_DIR}/bin" "FLEETMARK_SOURCE=${PROJECT_SOURCE_DIR}" ${ARG_ENVIRONMENT})
  set(properties ${CMAKE_CURRENT_BINARY_DIR}/${name}_properties.cmake)
  file(GENERATE OUTPUT ${properties} CONTENT "if(${name}_TESTS)
  set_tests_properties(\${${name}_TESTS} PROPERTIES
    LABELS [==[${ARG_LABELS}]==]
    ENVIRONMENT [==[${environment}]==])
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${properties})
endfunction()

function(fm_add_database_test name)
  cmake_parse_arguments(ARG "" "NAME" "SUITES;SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE fleetmark_options ${ARG_DEPS} fleetmark_test_database
    GTest::gmock GTest::gtest_main)
  fm_quiet_kj(${name} ${name})
  target_precompile_headers(${name} REUSE_FROM fleetmark_test_headers)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)
  foreach(suite IN LISTS ARG_SUITES)
    add_test(NAME ${ARG_NAME}.${suite}
      COMMAND ${name} --gtest_filter=${suite}.*:*/${suite}*.* --gtest_brief=1)
    set_tests_properties(${ARG_NAME}.${suite} PROPERTIES LABELS db TIMEOUT 180)
  endforeach()
endfunction()
