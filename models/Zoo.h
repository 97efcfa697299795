// Makes a network of the zoo: describes it, draws its weights, calibrates and folds.
#pragma once

#include "models/Networks/Catalogue.h"
#include "reference/Run/Threads.h"

namespace tilerig::models {

struct ZooOptions {
  Variant variant;
  uint64_t seed = 1;
  // Normalisations of a batch become part of the layers before them, as many exporters have it.
  bool foldNorms = false;
};

// A description of the network, refused where the variant does not suit it. An image size of 0 is the usual
// one.
Result<Network> describeNetwork(const CatalogueEntry &entry, Variant variant);
// The whole network. The same bytes on every processor and for any number of threads.
Result<onnx::ModelProto> makeNetwork(const CatalogueEntry &entry, const ZooOptions &options,
                                     reference::Threads &threads);
Status writeNetwork(const std::string &path, const onnx::ModelProto &model);

} // namespace tilerig::models
