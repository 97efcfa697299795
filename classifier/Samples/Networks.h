// Networks from which samples are taken: small ones drawn at random in the style of a family of
// architectures, blocks cut out of whole networks (Blocks.h), and unchanged ones of the model zoo (`tilerig zoo`).
//
// A classifier should learn how bugs look, not how networks look. So only a few dozen samples are taken of
// the same network, and each network has sizes, widths, kernels and weights of its own, drawn at random. Each
// family can be left out of training and used for evaluation.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Base/Tensor/TensorMap.h"
#include "reference/Run/Threads.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace tilerig::verify {

struct DrawnNetwork {
  std::string name; // the network in a few words: "resnet: 3 blocks of 24", "resnet18:32"
  std::string bytes;
  TensorMap inputs = {}; // empty: they are generated
};

// Groups of families. `tilerig dataset --families` takes their names, too.
enum class FamilyGroup : uint8_t {
  small,  // small networks; the default
  blocks, // blocks of whole networks of the model zoo, at their full sizes
  zoo,    // whole networks of the model zoo; a sample takes seconds
  files,  // blocks of models in files
};
std::string_view nameOf(FamilyGroup group);

struct Family {
  std::string name;
  unsigned weight; // relative frequency with which the family is drawn
  std::function<Result<DrawnNetwork>(uint64_t seed, reference::Threads &threads)> draw;
  FamilyGroup group = FamilyGroup::small;
  // Name of the architecture in rows of the dataset; if empty, the family's name is used.
  std::string architecture = {};
  std::string file = {}; // path of the model, for families of the group `files`
};
std::span<const Family> families();
// The family of networks with this name; null if there is none.
const Family *findFamily(std::string_view name);

inline const std::string &architectureOf(const Family &family) {
  return family.architecture.empty() ? family.name : family.architecture;
}

} // namespace tilerig::verify
