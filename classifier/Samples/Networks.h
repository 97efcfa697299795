// Networks from which samples are taken: small ones drawn at random in the style of a family of
// architectures, and unchanged ones of the model zoo (`tilerig zoo`).
//
// A classifier should learn how bugs look, not how networks look. So only a few dozen samples are taken of
// the same network, and each network has sizes, widths, kernels and weights of its own, drawn at random. Each
// family can be left out of training and used for evaluation.
#pragma once

#include "isa/Base/Support/Error.h"
#include "reference/Run/Threads.h"

#include <span>
#include <string>
#include <string_view>

namespace tilerig::verify {

struct DrawnNetwork {
  std::string name; // the network in a few words: "resnet: 3 blocks of 24", "resnet18:32"
  std::string bytes;
};

struct Family {
  std::string_view name;
  unsigned weight; // relative frequency with which the family is drawn
  Result<DrawnNetwork> (*draw)(uint64_t seed, reference::Threads &threads);
  // Whether the family consists of whole networks of the model zoo. Samples of such networks take seconds
  // each, so the family is used only if it is requested by name.
  bool isWhole = false;
  // Name of the architecture in rows of the dataset; if empty, the family's name is used.
  std::string_view architecture = {};
};
std::span<const Family> families();
// The family of networks with this name; null if there is none.
const Family *findFamily(std::string_view name);

inline std::string_view architectureOf(const Family &family) {
  return family.architecture.empty() ? family.name : family.architecture;
}

} // namespace tilerig::verify
