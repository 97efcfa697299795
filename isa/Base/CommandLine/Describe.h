// The definition of a command as JSON: its options, positionals and examples, from which man pages and shell
// completions are generated.
#pragma once

#include "isa/Base/CommandLine/CommandOptions.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace tilerig {

// {"name": "tilerig run", "summary", "examples": ["tilerig run model.trb"], "positionals": [OPTION],
// "options": [OPTION]}; OPTION is {"names": ["-o", "--output"], "value", "default", "help", "group",
// "required", "repeated"}. `value` describes the value as --help does, and is empty for a flag.
nlohmann::ordered_json describeCommand(const CommandOptions &command, const std::string &examples);

} // namespace tilerig
