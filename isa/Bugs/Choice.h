// Parses and prints the choice of a bug and its layer: ID[:name=value,name=value][@layer].
//
//   bias-shifted                  layer and parameters are drawn at random
//   pad-amount:side=top@conv1     one parameter and the layer are given, the rest is drawn
//   stuck-bit:tile=0,bit=30@#3    the third layer, for layers without a unique name
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Bugs/Bug.h"

#include <map>

namespace tilerig {

struct BugChoice {
  const Bug *bug = nullptr;
  // Values of parameters, by name. A value that is one of several words is stored as the index of the word.
  std::map<std::string, int64_t, std::less<>> values = {};
  std::string layer = {}; // name or "#number" of the layer; empty: any layer
};

// Parses the text of a bug choice; refuses unknown bugs, unknown parameters, and values outside a parameter's
// range.
Result<BugChoice> parseBugChoice(const std::string &text);
// Prints a bug choice as the text from which parseBugChoice() reads back the same choice.
std::string printBugChoice(const BugChoice &choice);
// Prints the value of a bug's parameter as it is written in a bug choice.
std::string printBugValue(const BugParameter &parameter, int64_t value);

// Help texts of the options that inject a bug, and of those that set the seed of its random choices.
inline constexpr const char *bugChoiceHelp =
    "inject a bug, written as ID[:name=value,...][@layer]; `tilerig inject --list` lists the IDs";
inline constexpr const char *bugSeedHelp =
    "seed of the random choice of the layer and the parameters that are not given with the injected bug";
// The error if the seed of a bug's random choices is given, but no bug is injected.
inline constexpr const char *idleBugSeed =
    "this option is the seed of the random choices for an injected bug, but no bug is injected";

} // namespace tilerig
