// Networks to take samples of: small ones, drawn at random in the manner of a family of architectures, and
// those of the zoo.
//
// What a classifier is to learn is how bugs look, not how networks do. So no two units of work have the same
// network: sizes, widths, kernels and weights are drawn anew, and each family can be left out to see what was
// learnt of others.
#pragma once

#include "isa/Support/Error.h"
#include "reference/Run/Threads.h"

#include <span>
#include <string>
#include <string_view>

namespace tilerig::verify {

struct DrawnNetwork {
  std::string name; // what it is, in a word or two: "resnet: 3 blocks of 24", "resnet18:32"
  std::string bytes;
};

struct Family {
  std::string_view name;
  unsigned weight; // how often, beside the others
  Result<DrawnNetwork> (*draw)(uint64_t seed, reference::Threads &threads);
  // Of whole networks, of which a mutant takes seconds: only for who names them.
  bool isWhole = false;
  std::string_view architecture = {}; // what rows say, where it is not the name
};
std::span<const Family> families();
// Null where there is none of that name.
const Family *findFamily(std::string_view name);

inline std::string_view architectureOf(const Family &family) {
  return family.architecture.empty() ? family.name : family.architecture;
}

} // namespace tilerig::verify
