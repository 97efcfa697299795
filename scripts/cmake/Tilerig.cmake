# Settings that all targets share (language, warnings, linker, compiler cache, sanitizers), and the functions
# that declare a library, a command or a test. A folder's CMakeLists.txt lists only its sources and
# dependencies.

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
# For long runs of fuzzers: optimised, with the assertions of tilerig, of the headers of LLVM and MLIR, and of the
# standard library.
set(CMAKE_CXX_FLAGS_ASSERT "-O2 -D_GLIBCXX_ASSERTIONS")
# In builds with sanitizers -O0 halves the build time. Folders whose code takes most of the tests' run time
# call tilerig_optimise_sanitized(), which optimises them even in these builds.
set(CMAKE_CXX_FLAGS_SANITIZED "-O0 -g1")
# The build of scripts/demo. The demonstration runs for seconds but is compiled for minutes, so the code is
# not optimised; its users do not need warnings.
set(CMAKE_CXX_FLAGS_DEMO "-O0 -DNDEBUG -w")

option(TILERIG_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(TILERIG_DEMO "Only what scripts/demo needs: no networks, no training of classifiers, no tests" OFF)
option(TILERIG_UNITY "Compile many files of a target at once: a fifth of the time of a whole build" OFF)

find_program(CCACHE ccache)
if(CCACHE)
  # Paths of the checkout are hashed relative to the build folder, so that checkouts share what they compiled. Debug
  # information then names the build folder of the checkout that compiled a file first.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()
find_program(LLD ld.lld)
if(LLD)
  add_link_options(-fuse-ld=lld)
endif()

# Results must not depend on whether the C++ compiler fuses multiply and add: contraction is off, and fused
# operations are written as fma().
add_compile_options(-Wall -Wextra -Wpedantic -Werror=return-type -Werror=switch -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # g++ frees unused memory of its own only when it has allocated 500 MB. This shortens the build by 6 % and
  # takes up to 200 MB more memory for each compiler process.
  add_compile_options(--param=ggc-min-heapsize=500000)
endif()
if(TILERIG_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # These settings shorten the build: Reduction.cpp takes 40 seconds instead of 63.
  # UndefinedBehaviorSanitizer's checks of null pointers, object bounds and dynamic types are off, since
  # AddressSanitizer reports such accesses. AddressSanitizer's checks are function calls instead of inline
  # code. Alignment checks take a third of the time and matter only where pointers are made from bytes: those
  # folders call tilerig_check_alignment().
  add_compile_options(-fno-sanitize=null,object-size,vptr,alignment)
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    add_compile_options("SHELL:-mllvm -asan-instrumentation-with-call-threshold=0"
      -Wno-deprecated-declarations -Wno-unknown-pragmas -Wno-unknown-warning-option)
  else()
    add_compile_options(--param=asan-instrumentation-with-call-threshold=0)
  endif()
  add_link_options(-fsanitize=address,undefined)
endif()

macro(tilerig_check_alignment)
  if(TILERIG_SANITIZE)
    add_compile_options(-fsanitize=alignment -fno-sanitize-recover=all)
  endif()
endmacro()

macro(tilerig_optimise_sanitized)
  if(TILERIG_SANITIZE)
    add_compile_options(-O1)
  endif()
endmacro()

# Unity builds: headers of MLIR, JSON and GoogleTest take longer to compile than the files that include them.
# Sixteen files are compiled at once, or BATCH of them if the local names of sixteen files would clash.
# Excluded are files that Highway compiles once per instruction set, and files named ALONE, whose local names
# clash with others.
function(tilerig_unite name alone batch)
  if(NOT TILERIG_UNITY)
    return()
  endif()
  if(NOT batch)
    set(batch 16)
  endif()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
  get_target_property(sources ${name} SOURCES)
  foreach(source IN LISTS sources)
    set(repeated)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${source})
      file(STRINGS ${source} repeated REGEX "foreach_target" LIMIT_COUNT 1)
    endif()
    if(repeated OR source IN_LIST alone)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()

# tilerig_library(NAME SOURCES a.cpp ... [ALONE b.cpp ...] [BATCH n] [DEPS lib ...]): a static library, built only if a
# program needs it. Its headers are included by their path from the root of the repository.
function(tilerig_library name)
  cmake_parse_arguments(ARG "" "BATCH" "SOURCES;ALONE;DEPS" ${ARGN})
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${ARG_SOURCES} ${ARG_ALONE})
  tilerig_unite(${name} "${ARG_ALONE}" "${ARG_BATCH}")
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(${name} PUBLIC ${ARG_DEPS})
endfunction()

# tilerig_protobuf(FILE.proto): the code that protoc generates from a file of the folder, included as
# "FOLDER/FILE.pb.h"; sets `generated_proto` to its source and `generated` to the root of generated headers.
macro(tilerig_protobuf file)
  set(generated ${PROJECT_BINARY_DIR}/generated)
  file(RELATIVE_PATH generated_proto ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  string(REGEX REPLACE "proto$" "pb" generated_proto ${generated}/${generated_proto})
  cmake_path(GET generated_proto PARENT_PATH generated_folder)
  file(MAKE_DIRECTORY ${generated_folder})
  add_custom_command(
    OUTPUT ${generated_proto}.cc ${generated_proto}.h
    COMMAND protobuf::protoc --proto_path=${PROJECT_SOURCE_DIR} --cpp_out=${generated}
            ${CMAKE_CURRENT_SOURCE_DIR}/${file}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    DEPENDS ${file}
    COMMENT "Generating code from ${file}"
    VERBATIM)
  set(generated_proto ${generated_proto}.cc)
  # Suppresses warnings in the code that protoc generates.
  set_source_files_properties(${generated_proto} PROPERTIES COMPILE_OPTIONS -w)
endmacro()

# tilerig_command(NAME SOURCES ... [DEPS ...]): the program build/bin/tilerig-NAME, which `tilerig NAME` starts.
function(tilerig_command name)
  cmake_parse_arguments(ARG "" "BATCH" "SOURCES;ALONE;DEPS" ${ARGN})
  add_executable(tilerig-${name} ${ARG_SOURCES} ${ARG_ALONE})
  tilerig_unite(tilerig-${name} "${ARG_ALONE}" "${ARG_BATCH}")
  target_link_libraries(tilerig-${name} PRIVATE ${ARG_DEPS})
endfunction()

# tilerig_test(NAME SOURCES ... [DEPS ...]): a GoogleTest program, run by ctest as a single test.
function(tilerig_test name)
  cmake_parse_arguments(ARG "" "BATCH" "SOURCES;ALONE;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} ${ARG_ALONE})
  tilerig_unite(${name} "${ARG_ALONE}" "${ARG_BATCH}")
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
endfunction()
