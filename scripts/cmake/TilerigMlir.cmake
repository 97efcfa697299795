# MLIR, and the functions that declare what uses it: generated code, libraries, commands that load plugins.

# LLVM would try out the header of libedit by compiling C, which is no language of this project.
set(HAVE_HISTEDIT_H 1)
find_package(MLIR REQUIRED CONFIG PATHS /usr/lib/llvm-22 NO_DEFAULT_PATH)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include(PassPlugin)

# tilerig_tablegen(NAME FILE.td GENERATOR=OUTPUT ...): runs mlir-tblgen on a file. The outputs are written
# under build/generated, and included as if they were in the folder of FILE.td.
function(tilerig_tablegen name file)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE folder)
  set(made)
  foreach(pair ${ARGN})
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 generator)
    list(GET pair 1 output)
    set(path ${PROJECT_BINARY_DIR}/generated/${folder}/${output})
    get_filename_component(directory ${path} DIRECTORY)
    file(MAKE_DIRECTORY ${directory})
    add_custom_command(OUTPUT ${path}
      COMMAND mlir-tblgen ${generator} ${CMAKE_CURRENT_SOURCE_DIR}/${file} -o ${path}
        -I ${PROJECT_SOURCE_DIR} -I ${MLIR_INCLUDE_DIRS} --write-if-changed -d ${path}.d
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file} DEPFILE ${path}.d VERBATIM)
    list(APPEND made ${path})
  endforeach()
  add_custom_target(${name} DEPENDS ${made})
endfunction()

# MLIR is linked statically: its shared libraries contain all targets of LLVM and take 35 ms to load into each
# command.
set(mlir_parts
  Analysis AsmParser BytecodeOpInterface BytecodeReader BytecodeWriter CallInterfaces ControlFlowInterfaces
  DestinationStyleOpInterface Presburger ValueBoundsOpInterface ViewLikeInterface
  DataLayoutInterfaces Debug FuncDialect FunctionInterfaces InferTypeOpInterface IR IRDL LoopLikeInterface MemOpInterfaces
  MemorySlotInterfaces Observers OptLib Parser Pass PDLDialect PDLInterpDialect PDLToPDLInterp PluginsLib QuantDialect
  RemarkStreamer Rewrite RewritePDL RuntimeVerifiableOpInterface SideEffectInterfaces SubsetOpInterface Support Transforms
  TransformUtils UBDialect)
list(TRANSFORM mlir_parts PREPEND MLIR)
set(archives)
foreach(part ${mlir_parts} LLVMRemarks LLVMBitstreamReader LLVMSupport LLVMDemangle)
  get_target_property(archive ${part} LOCATION) # a path, which the installed CMake package can name as well
  list(APPEND archives ${archive})
endforeach()
find_package(ZLIB REQUIRED)
find_library(ZSTD zstd REQUIRED)
find_library(TINFO tinfo REQUIRED)
add_library(tilerig-mlir INTERFACE)
target_include_directories(tilerig-mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
# MLIR's static libraries form a linker group, since they use each other. Sections that a program does not
# reference are left out of it.
target_link_libraries(tilerig-mlir INTERFACE -Wl,--gc-sections
  -Wl,--start-group ${archives} -Wl,--end-group ZLIB::ZLIB ${ZSTD} ${TINFO} ${CMAKE_DL_LIBS})

# Lets a command load plugins with passes that users wrote (--load-pass-plugin). The command then contains all
# of MLIR and of the component `dialects` that passes may use, even what it does not use itself: each type of
# MLIR must exist only once in a process, so plugins cannot bring their own.
set(plugin_parts IR Pass Support Rewrite TransformUtils Transforms FuncDialect FunctionInterfaces CallInterfaces
  ControlFlowInterfaces InferTypeOpInterface SideEffectInterfaces QuantDialect AsmParser Parser)
list(TRANSFORM plugin_parts PREPEND MLIR)
set(plugin_archives)
foreach(part ${plugin_parts})
  get_target_property(archive ${part} LOCATION)
  list(APPEND plugin_archives ${archive})
endforeach()
set(TILERIG_PLUGIN_ARCHIVES ${plugin_archives} CACHE INTERNAL "libraries that plugins use")
function(tilerig_load_plugins command)
  target_link_options(${command} PRIVATE -Wl,--export-dynamic -Wl,--whole-archive ${TILERIG_PLUGIN_ARCHIVES}
    $<TARGET_FILE:tilerig-graph> $<TARGET_FILE:tilerig-layer> $<TARGET_FILE:tilerig-graph-transforms>
    $<TARGET_FILE:tilerig-tile-dialect> $<TARGET_FILE:tilerig-isa-dialect>
    $<TARGET_FILE:tilerig-tensor> $<TARGET_FILE:tilerig-numerics> $<TARGET_FILE:tilerig-support> -Wl,--no-whole-archive)
endfunction()

# The target that plugins link: the component `dialects` of the installed CMake package, and tilerig::dialects
# in this build.
set(TILERIG_VERSIONS "tilerig ${PROJECT_VERSION} with MLIR ${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR}")
configure_file(${PROJECT_SOURCE_DIR}/scripts/cmake/tilerig-dialects.cmake.in ${PROJECT_BINARY_DIR}/tilerig-dialects.cmake @ONLY)
add_library(tilerig-dialects INTERFACE)
target_include_directories(tilerig-dialects INTERFACE ${PROJECT_SOURCE_DIR})
target_include_directories(tilerig-dialects SYSTEM INTERFACE ${PROJECT_BINARY_DIR}/generated ${MLIR_INCLUDE_DIRS})
add_dependencies(tilerig-dialects tilerig-graph-tablegen tilerig-layer-tablegen tilerig-tile-dialect-tablegen
  tilerig-isa-dialect-tablegen)
set_target_properties(tilerig-dialects PROPERTIES TILERIG_VERSIONS "${TILERIG_VERSIONS}")
add_library(tilerig::dialects ALIAS tilerig-dialects)

# A library that uses MLIR. MLIR's headers are system headers, so that their warnings are not shown.
function(tilerig_mlir_library name)
  tilerig_library(${name} ${ARGN})
  target_include_directories(${name} SYSTEM PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>)
  target_link_libraries(${name} PUBLIC tilerig-mlir)
  target_compile_options(${name} PRIVATE -O1) # builds in 3/4 of the time; import and passes run 10 % slower
endfunction()
