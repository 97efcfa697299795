# What every target of the project shares: language, warnings, linker, cache, sanitizers, and the three ways to
# declare a target. A folder's CMakeLists.txt then says only what it holds and what it stands on.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEV "-O1 -g1")

option(TILERIG_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
find_program(LLD ld.lld)
if(LLD)
  add_link_options(-fuse-ld=lld)
endif()

# Bits must not depend on what the compiler chose to fuse: contraction is off everywhere, fma() is written out.
add_compile_options(-Wall -Wextra -Wpedantic -Werror=return-type -Werror=switch -ffp-contract=off)
if(TILERIG_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # Less time to build: 40 seconds instead of 63 for Reduction.cpp. What UndefinedBehaviorSanitizer would say of null pointers, of objects' bounds and of
  # objects of another type, AddressSanitizer says when they are used; and its checks are calls, not code at each place.
  add_compile_options(-fno-sanitize=null,object-size,vptr --param=asan-instrumentation-with-call-threshold=0)
  add_link_options(-fsanitize=address,undefined)
endif()

# tilerig_library(NAME SOURCES a.cpp ... [DEPS lib ...]): a static library whose headers are included from the root,
# built where a program needs it.
function(tilerig_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_DEPS})
endfunction()

# tilerig_command(NAME SOURCES ... [DEPS ...]): the program build/bin/tilerig-NAME, which `tilerig NAME` starts.
function(tilerig_command name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(tilerig-${name} ${ARG_SOURCES})
  target_link_libraries(tilerig-${name} PRIVATE ${ARG_DEPS})
endfunction()

# tilerig_test(NAME SOURCES ... [DEPS ...]): one GoogleTest program, one line of the suite.
function(tilerig_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
endfunction()
