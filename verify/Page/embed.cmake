# Writes Parts.cpp, which contains the files of the report page as string literals.
#
# usage: cmake -DFOLDER=verify/Page -DOUTPUT=Parts.cpp -P embed.cmake
set(text "// Made by embed.cmake from the files beside it.\n#include \"verify/Page/Parts.h\"\n\nnamespace tilerig::verify {\n")
foreach(
  part
  "pageFrame page.html"
  "pageStyle page.css"
  "pageScript common.js plane.js maps.js graph.js tiles.js layer.js alarm.js network.js clock.js page.js")
  separate_arguments(part)
  list(POP_FRONT part name)
  set(content "")
  foreach(file ${part})
    file(READ ${FOLDER}/${file} piece)
    string(APPEND content "${piece}")
  endforeach()
  string(APPEND text "\nstd::string_view ${name}() {\n  return R\"~embedded~(${content})~embedded~\";\n}\n")
endforeach()
file(WRITE ${OUTPUT} "${text}\n} // namespace tilerig::verify\n")
