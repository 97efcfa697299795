# Generates the C++ source OUTPUT with the texts of the JSON files DESCRIPTIONS, each under the name of its
# file.
set(rows "")
foreach(description IN LISTS DESCRIPTIONS)
  get_filename_component(name ${description} NAME_WE)
  file(READ ${description} text)
  string(APPEND rows "    {\"${name}\", R\"machine(${text})machine\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"isa/Machine/BuiltIn.h\"

namespace tilerig {
static constexpr BuiltInMachine machines[] = {
${rows}};
std::span<const BuiltInMachine> builtInDescriptions() { return machines; }
} // namespace tilerig
")
