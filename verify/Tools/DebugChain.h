// What `tilerig check --debug` does after it has found something wrong: it starts `tilerig bisect` with the same options.
#pragma once

#include "isa/Base/CommandLine/CommandOptions.h"
#include "isa/Base/Support/Error.h"
#include "isa/Base/Support/Json.h"

#include <string>

namespace tilerig::verify {

// Bisects a model; `folder` receives the results. The record, of the kind `debug`, is the document of `tilerig bisect
// --json`. If the bisection fails, its field `error` says why, and `layer` is null.
Json debugRecord(const CommandOptions &options, const std::string &model, const std::string &folder);

// Refuses a folder for the results that cannot be one.
Status checkDebugFolder(const std::string &folder);

} // namespace tilerig::verify
