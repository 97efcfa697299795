// Which bug is to be planted where: ID[:name=value,name=value][@layer], as people write it.
//
//   bias-shifted                  a layer and a number that chance picks
//   pad-amount:side=top@conv1     so much is given, the rest is picked
//   stuck-bit:tile=0,bit=30@#3    the third layer, where names do not tell it
#pragma once

#include "isa/Bugs/Bug.h"
#include "isa/Support/Error.h"

#include <map>

namespace tilerig {

struct BugChoice {
  const Bug *bug = nullptr;
  std::map<std::string, int64_t, std::less<>> given = {}; // of words: which one, from 0
  std::string layer = {};                                 // empty: any
};

// Refuses what the catalogue does not know: the bug, a parameter, a value outside its range.
Result<BugChoice> parseBugChoice(const std::string &text);
// Reads back as the same.
std::string printBugChoice(const BugChoice &choice);
// A value as it is written.
std::string printBugValue(const BugParameter &parameter, int64_t value);

} // namespace tilerig
