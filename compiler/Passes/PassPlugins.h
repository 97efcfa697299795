// Plugins: shared libraries with passes, loaded by MLIR's plugin interface.
#pragma once

#include "isa/Base/Support/Error.h"

#include <string>

namespace tilerig::compiler {

// Refuses files that are not plugins, plugins that need symbols which this command does not have, and plugins
// that were built for other versions of tilerig or MLIR.
Status checkPlugin(const std::string &path);
// Checks a plugin and registers its passes.
Status loadPlugin(const std::string &path);

} // namespace tilerig::compiler
