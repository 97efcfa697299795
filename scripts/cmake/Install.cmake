# What `cmake --install build --prefix DIR` installs: the commands, and libraries and headers for user
# programs that compile networks, search for faster programs, and run them on the emulator
# (find_package(tilerig), targets tilerig::search and tilerig::emulator). The libraries do not need MLIR; only
# the commands do.
include(CMakePackageConfigHelpers)

set(libraries
  tilerig-support tilerig-numerics tilerig-tensor tilerig-machine tilerig-instructions tilerig-timing tilerig-program
  tilerig-analyser tilerig-timeline tilerig-emulator tilerig-precision tilerig-strategy tilerig-search)
foreach(library ${libraries})
  string(REPLACE "tilerig-" "" name ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name} EXCLUDE_FROM_ALL OFF)
  target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:include/tilerig>)
  target_compile_features(${library} PUBLIC cxx_std_20)
endforeach()

install(TARGETS ${libraries} EXPORT tilerig-targets ARCHIVE DESTINATION lib/tilerig COMPONENT development)
install(EXPORT tilerig-targets NAMESPACE tilerig:: DESTINATION lib/cmake/tilerig COMPONENT development)

foreach(folder isa/Support isa/Numerics isa/Tensor isa/Machine isa/Instructions isa/Timing isa/Program isa/Analyser isa/Timeline
               emulator compiler/Precision compiler/Strategy compiler/Search)
  cmake_path(GET folder PARENT_PATH parent)
  install(DIRECTORY ${folder} DESTINATION include/tilerig/${parent} COMPONENT development
    FILES_MATCHING PATTERN "*.h" PATTERN "Tools" EXCLUDE)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/generated/isa/Program/Metadata.pb.h
  DESTINATION include/tilerig/isa/Program COMPONENT development)
install(DIRECTORY tests/examples/ DESTINATION share/tilerig/examples COMPONENT development)

configure_package_config_file(scripts/cmake/tilerig-config.cmake.in ${PROJECT_BINARY_DIR}/tilerig-config.cmake
  INSTALL_DESTINATION lib/cmake/tilerig)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tilerig-config-version.cmake COMPATIBILITY ExactVersion)
install(FILES ${PROJECT_BINARY_DIR}/tilerig-config.cmake ${PROJECT_BINARY_DIR}/tilerig-config-version.cmake
  DESTINATION lib/cmake/tilerig COMPONENT development)

# All in one folder, since a command looks for the other commands beside itself.
install(TARGETS tilerig tilerig-asm tilerig-classify tilerig-compile tilerig-disasm tilerig-inject tilerig-inspect tilerig-opt
                tilerig-reference tilerig-run tilerig-verify tilerig-zoo
  RUNTIME DESTINATION bin COMPONENT commands)
