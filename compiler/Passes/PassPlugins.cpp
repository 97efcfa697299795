#include "compiler/Passes/PassPlugins.h"

#include <dlfcn.h>
#include <filesystem>
#include <fmt/core.h>
#include <llvm/Demangle/Demangle.h>
#include <mlir/Tools/Plugins/PassPlugin.h>

namespace tilerig::compiler {

namespace {

constexpr const char *recipe =
    "build the plugin with the CMake function tilerig_add_pass_plugin(), which find_package(tilerig "
    "COMPONENTS dialects) defines";

// The reason why the dynamic linker could not load a library, in words for the author of the plugin.
Error refusal(const std::string &path, const std::string &problem) {
  const llvm::StringRef symbol = llvm::StringRef(problem).split("undefined symbol: ").second;
  if (symbol.empty())
    return invalidInput(path, "the file is not a shared library that can be loaded: " + problem, recipe);
  const std::string name =
      llvm::demangle(symbol.take_until([](char letter) { return letter == ',' || letter == ' '; }).str());
  return invalidInput(
      path, fmt::format("the plugin needs the symbol '{}', which this command does not have", name),
      "link the plugin with all its libraries except MLIR and the dialects, and build it with the headers "
      "of " TILERIG_VERSIONS);
}

// Refuses a plugin that states that it was built for other versions of tilerig or MLIR. Plugins built with
// the CMake function tilerig_add_pass_plugin() state their versions; other plugins may state none, and are
// accepted.
Status checkVersions(const std::string &path, void *library) {
  const auto versions = reinterpret_cast<const char *(*)()>(dlsym(library, "tilerigPassPluginVersions"));
  if (!versions || std::string_view(versions()) == TILERIG_VERSIONS)
    return success();
  return invalidInput(path,
                      fmt::format("the plugin was built for {}, but this command was built from {}",
                                  versions(), TILERIG_VERSIONS),
                      "build the plugin again with the headers of this tilerig");
}

using Information = mlir::PassPluginLibraryInfo;

Result<Information> open(const std::string &path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    return invalidInput(path, "the file does not exist",
                        "give the path of a shared library with passes, such as my-passes.so");
  // dlopen() gets an absolute path: it looks for a name without a slash in other folders. RTLD_NOW reports
  // missing symbols here, not when a pass calls them. The library stays open, as its passes stay registered.
  void *const library = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW);
  if (!library)
    return refusal(path, dlerror());
  const auto information = reinterpret_cast<Information (*)()>(dlsym(library, "mlirGetPassPluginInfo"));
  if (!information)
    return invalidInput(path,
                        "the file is not a plugin with passes: it has no function mlirGetPassPluginInfo()",
                        "define this function; share/tilerig/examples/pass-plugin has an example");
  TILERIG_CHECK_OK(checkVersions(path, library));
  const Information result = information();
  if (result.apiVersion != MLIR_PLUGIN_API_VERSION || !result.registerPassRegistryCallbacks)
    return invalidInput(
        path,
        fmt::format("its mlirGetPassPluginInfo() states version {} of MLIR's plugin interface{}",
                    result.apiVersion,
                    result.registerPassRegistryCallbacks ? "" : ", and no function that registers passes"),
        fmt::format("return version {}, and a function that registers passes", MLIR_PLUGIN_API_VERSION));
  return result;
}

} // namespace

Status checkPlugin(const std::string &path) {
  TILERIG_CHECK_OK(open(path));
  return success();
}

Status loadPlugin(const std::string &path) {
  TILERIG_TRY(const Information information, open(path));
  information.registerPassRegistryCallbacks();
  return success();
}

} // namespace tilerig::compiler
