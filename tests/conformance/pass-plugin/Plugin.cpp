// A plugin that registers no pass, or is wrong in a way that the macros below choose (CMakeLists.txt).
#include <mlir/Tools/Plugins/PassPlugin.h>

#ifndef ENTRY
#define ENTRY mlirGetPassPluginInfo
#endif
#ifndef CALLBACK
#define CALLBACK [] {}
#endif

#ifdef VERSIONS
extern "C" const char *tilerigPassPluginVersions() { return VERSIONS; }
#endif

#ifdef USES_MISSING_SYMBOL
namespace tilerig {
int functionOfAnotherLibrary(int number);
int use() { return functionOfAnotherLibrary(1); }
} // namespace tilerig
#endif

extern "C" mlir::PassPluginLibraryInfo ENTRY() { return {MLIR_PLUGIN_API_VERSION, "test", "1", CALLBACK}; }
