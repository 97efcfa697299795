# Installs the public headers (PUBLIC, relative to SOURCE) and those that they include, and no others. Runs at
# the time of installation, as install(SCRIPT), so that the headers are current.
cmake_policy(VERSION 3.25)
set(open ${PUBLIC})
set(seen)
while(open)
  list(POP_FRONT open header)
  if(header IN_LIST seen OR NOT EXISTS ${SOURCE}/${header})
    continue() # generated headers are installed by themselves
  endif()
  list(APPEND seen ${header})
  file(STRINGS ${SOURCE}/${header} included REGEX "^#include \"")
  list(TRANSFORM included REPLACE "^#include \"([^\"]*)\".*" "\\1")
  list(APPEND open ${included})
endwhile()
foreach(header IN LISTS seen)
  cmake_path(GET header PARENT_PATH folder)
  file(INSTALL ${SOURCE}/${header} DESTINATION ${CMAKE_INSTALL_PREFIX}/include/tilerig/${folder})
endforeach()
