// Blocks cut out of whole networks: consecutive nodes of a model, and the tensors that flow into them when the whole network runs.
// So shapes, weights and distributions of values are those of a real network at its full size, at the price of a small one.
#pragma once

#include "classifier/Samples/Draw.h"
#include "classifier/Samples/Networks.h"
#include "verify/Bisect/Subnetworks.h"

#include <functional>
#include <memory>
#include <string>

namespace tilerig::verify {

class WholeNetwork {
public:
  // Runs the model once, in the machine's order of sums, so that its tensors are the same on every host. Inputs that are
  // square images with three colours are synthetic pictures (models/Weights/Pictures.h), others random; the seed determines them.
  static Result<WholeNetwork> run(std::string name, const SourceModel &source, uint64_t seed,
                                  reference::Threads &threads);

  // Draws a block. Refused as unsupported if none of some tries gives a block of useful size.
  Result<DrawnNetwork> cut(Draw draw) const;
  // The tensors of the run, by name.
  const TensorMap &tensors() const { return values; }

private:
  WholeNetwork(std::string name, Subnetworks nodes, TensorMap values)
      : name(std::move(name)), nodes(std::move(nodes)), values(std::move(values)) {}

  bool isFinite(const std::vector<NodeIndex> &block) const;
  bool computesFloats(const std::vector<NodeIndex> &block) const;
  uint64_t elementsOf(const std::vector<NodeIndex> &block) const;

  std::string name;
  Subnetworks nodes;
  TensorMap values;
};

// A family of the blocks of one network. The network is read or made, and run, when the first block is drawn.
using ReadModel = std::function<Result<SourceModel>(reference::Threads &threads)>;
Family blocksOf(std::string name, std::string architecture, unsigned weight, ReadModel read);

} // namespace tilerig::verify
