// Creates the networks of the zoo: describes a network, draws its weights, calibrates it and folds
// normalisations.
#pragma once

#include "models/Networks/Catalogue.h"
#include "reference/Run/Threads.h"

namespace tilerig::models {

struct ZooOptions {
  Variant variant;
  uint64_t seed = 1;
  // Fold batch normalisations into the layers before them, as many exporters do.
  bool foldNorms = false;
};

// Describes a network, or refuses a variant (batch size, image size, opset) that it does not support. An
// image size of 0 selects the default.
Result<Network> describeNetwork(const CatalogueEntry &entry, Variant variant);
// Makes the complete ONNX model of a network. Its bytes are the same on every processor and for any number of
// threads.
Result<onnx::ModelProto> makeNetwork(const CatalogueEntry &entry, const ZooOptions &options,
                                     reference::Threads &threads);
Status writeNetwork(const std::string &path, const onnx::ModelProto &model);

} // namespace tilerig::models
