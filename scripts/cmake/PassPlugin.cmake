# tilerig_add_pass_plugin(NAME a.cpp ...): a plugin with passes, NAME.so, for `tilerig check --load-pass-plugin`.
#
# A plugin links neither MLIR nor the dialects: the command that loads it has them, and each type of MLIR must
# exist only once in a process. All its symbols are looked up when it is loaded (-z now), so that a missing one
# is reported by name then, and not when a pass calls it. The plugin also states the versions whose headers it
# was built with, so that commands of other versions refuse it.
function(tilerig_add_pass_plugin name)
  if(NOT TARGET tilerig::dialects)
    message(FATAL_ERROR "plugins need the component `dialects`: write find_package(tilerig REQUIRED COMPONENTS dialects)")
  endif()
  get_target_property(versions tilerig::dialects TILERIG_VERSIONS)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}-versions.cpp CONTENT
    "extern \"C\" const char *tilerigPassPluginVersions() { return \"${versions}\"; }\n")
  add_library(${name} MODULE ${ARGN} ${CMAKE_CURRENT_BINARY_DIR}/${name}-versions.cpp)
  set_target_properties(${name} PROPERTIES PREFIX "")
  target_link_libraries(${name} PRIVATE tilerig::dialects)
  target_link_options(${name} PRIVATE -Wl,-z,now)
endfunction()
