# What `cmake --install build --prefix DIR` installs: the commands, and libraries and headers for programs of
# users (find_package(tilerig)): tilerig::driver compiles models, tilerig::search looks for faster programs,
# tilerig::analyser proves programs free of races and deadlocks, tilerig::assembly reads their text,
# tilerig::emulator runs them, tilerig::framework computes the parts of a model that are not on the
# accelerator, tilerig::interpreter computes the expected results, tilerig::metrics and
# tilerig::shipped-classifier compare dumps and name the cause of a difference. With COMPONENTS dialects,
# tilerig::dialects has the headers that plugins with passes use. tests/examples has an example program for
# each library.
include(CMakePackageConfigHelpers)

set(libraries
  tilerig-support tilerig-json tilerig-numerics tilerig-tensor tilerig-machine tilerig-instructions tilerig-timing
  tilerig-program tilerig-assembly tilerig-order tilerig-analyser tilerig-run-plan tilerig-timeline tilerig-bugs
  tilerig-emulator tilerig-interpreter tilerig-framework
  tilerig-metrics tilerig-evidence tilerig-verdict tilerig-shipped-classifier
  tilerig-processes tilerig-precision tilerig-strategy tilerig-cost tilerig-memory tilerig-schedule tilerig-regions tilerig-sizes
  tilerig-tile-ops tilerig-tile-plan tilerig-tile-emit tilerig-graph tilerig-folding tilerig-import tilerig-export tilerig-passes
  tilerig-graph-transforms tilerig-layer tilerig-layer-from-graph tilerig-layer-transforms tilerig-layer-precision
  tilerig-layer-facts tilerig-partition tilerig-isa-dialect tilerig-tile-dialect tilerig-device-ops tilerig-pass-bugs tilerig-pass-check tilerig-listing
  tilerig-driver
  tilerig-search)
set(interfaces tilerig-mlir tilerig-onnx-proto) # libraries of others, with what their users must set
foreach(library ${libraries})
  string(REPLACE "tilerig-" "" name ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name} EXCLUDE_FROM_ALL OFF)
  target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:include/tilerig>)
  target_compile_features(${library} PUBLIC cxx_std_20)
endforeach()

install(TARGETS ${libraries} ${interfaces} EXPORT tilerig-targets ARCHIVE DESTINATION lib/tilerig COMPONENT development)
install(EXPORT tilerig-targets NAMESPACE tilerig:: DESTINATION lib/cmake/tilerig COMPONENT development)

# The public headers of the installed libraries; headers that these include are installed as well.
set(headers
  isa/Base/Support/Error.h isa/Base/Support/File.h isa/Base/Tensor/SeededTensor.h isa/Base/Tensor/TensorFiles.h isa/Machine/Machine.h
  isa/Program/Program.h isa/Program/Reader.h isa/Program/Writer.h isa/Assembly/Parser.h isa/Analyser/Analyser.h
  emulator/Session.h emulator/Observe/TimedRun.h emulator/Framework/ReferenceFramework.h
  reference/Run/Interpreter.h reference/Model/Graph.h
  verify/Metrics/Compare.h verify/Verdict/JudgePair.h verify/Verdict/Shipped.h
  compiler/Pipelines/CompileNetwork.h compiler/Planning/Search/Knobs.h compiler/Processes/StartCommand.h compiler/Planning/Strategy/StrategyFile.h)
# The public headers of the component `dialects`. A plugin links no library for these headers: the commands
# that load plugins (tilerig_load_plugins) contain the code.
file(GLOB dialects RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS compiler/Graph/IR/*.h compiler/Layer/IR/*.h
  compiler/Tile/IR/Tile.h compiler/Isa/IR/Isa.h)
list(APPEND headers ${dialects} compiler/Passes/RewriteAction.h compiler/Graph/Transforms/Constants.h
  compiler/Graph/Transforms/Fusion.h compiler/Graph/Transforms/Weights.h)
install(CODE "set(SOURCE ${PROJECT_SOURCE_DIR})\nset(GENERATED ${PROJECT_BINARY_DIR}/generated)\nset(PUBLIC \"${headers}\")"
  COMPONENT development)
install(SCRIPT scripts/cmake/InstallHeaders.cmake COMPONENT development)
install(DIRECTORY tests/examples/ DESTINATION share/tilerig/examples COMPONENT development)

configure_package_config_file(scripts/cmake/tilerig-config.cmake.in ${PROJECT_BINARY_DIR}/tilerig-config.cmake
  INSTALL_DESTINATION lib/cmake/tilerig)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tilerig-config-version.cmake COMPATIBILITY ExactVersion)
install(FILES ${PROJECT_BINARY_DIR}/tilerig-config.cmake ${PROJECT_BINARY_DIR}/tilerig-config-version.cmake
              ${PROJECT_BINARY_DIR}/tilerig-dialects.cmake scripts/cmake/PassPlugin.cmake
  DESTINATION lib/cmake/tilerig COMPONENT development)

# All commands go to the same folder, since a command looks for the other commands beside itself.
install(TARGETS tilerig tilerig-asm tilerig-bisect tilerig-check tilerig-classify tilerig-compile tilerig-dataset tilerig-debug tilerig-disasm
                tilerig-evaluate tilerig-inject tilerig-inspect tilerig-opt tilerig-quantise tilerig-reference tilerig-run
                tilerig-train tilerig-verify tilerig-zoo
  RUNTIME DESTINATION bin COMPONENT commands)
# Man pages and completion, made from the definitions of options that the commands print.
install(CODE "execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/manual ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
                \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share COMMAND_ERROR_IS_FATAL ANY)"
  COMPONENT commands)

# Files that Debian's packaging rules require for each package.
foreach(component commands development)
  set(package tilerig)
  if(component STREQUAL development)
    set(package libtilerig-dev)
  endif()
  install(FILES LICENSE DESTINATION share/doc/${package} RENAME copyright COMPONENT ${component})
  install(FILES scripts/CHANGELOG.md DESTINATION share/doc/${package} COMPONENT ${component})
endforeach()

# `cpack --config build/CPackConfig.cmake` makes the Debian packages tilerig and libtilerig-dev.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tilerig)
set(CPACK_PACKAGE_CONTACT "the tilerig developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Test rig for compilers of tiled ML accelerators")
set(CPACK_COMPONENTS_ALL commands development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_COMMANDS_PACKAGE_NAME tilerig)
set(CPACK_DEBIAN_COMMANDS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_COMMANDS_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_COMMANDS_DESCRIPTION
  "Compiles ONNX models for a machine of 64 tiles, emulates it bit by bit, proves programs free of races,
 compares every layer with a reference, and names the cause of a mismatch.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtilerig-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# The Debian packages of everything that tilerig-config.cmake.in searches with find_package, and of everything
# that the libraries link.
string(CONCAT CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libfmt-dev, libprotobuf-dev, libonnx-dev, zlib1g-dev, libpng-dev, libeigen3-dev, libhwy-dev, nlohmann-json3-dev, "
  "libdnnl-dev, ocl-icd-opencl-dev, libmlir-22-dev, llvm-22-dev, libzstd-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "Libraries and headers of tilerig: search for programs, read and write them, run them on the emulator.")
include(CPack)
