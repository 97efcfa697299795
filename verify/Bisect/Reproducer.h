// Reduces a failing network to a small one that fails in the same way: few nodes, small axes, tensors of zeros.
//
// First the nodes: those of the failing layer alone, with the right tensors as inputs; if these do not fail, nodes before
// them are added. Then nodes are left out one by one, then axes are cut, then tensors are set to zero, each time as long as
// the failure is the same: of the same kind, in a layer of the same kind and, for a wrong tensor, with the same verdict.
#pragma once

#include "verify/Bisect/Bisect.h"
#include "verify/Bisect/SmallerModels.h"

namespace tilerig::verify {

struct Reproducer {
  ModelWithInputs network;
  std::vector<NodeIndex> nodes; // of the original model
  TrialOptions options;         // with which the network is compiled
  TrialResult result;
  WrongTensor wrong; // what is wrong first; empty if the compiler fails
  size_t trials = 0; // that were needed for the reduction
};

// `values` are the right values of the original model's tensors. Nothing if only the shortened network itself fails.
Result<std::optional<Reproducer>> reduce(const Subnetworks &subnetworks, const TensorMap &values,
                                         const BisectResult &failing, Trials &trials);

// Options of the commands that show a failure, without model, inputs, precision, strategy and bug; each begins with a blank.
struct ReproducerOptions {
  std::string limit;   // the command that ends one that takes too long, followed by a blank; may be empty
  std::string graph;   // options that change the network
  std::string program; // options that change only the program
};
// Writes model.onnx, inputs.npz, expected.npz, files for the options, and a README.md with the commands into a folder.
Status writeReproducer(const Reproducer &reproducer, const std::string &folder,
                       const ReproducerOptions &options);

// Removes the files that writeReproducer() writes.
void removeReproducer(const std::string &folder);

// A word as it is written in a command for a shell.
std::string shellWord(const std::string &text);

} // namespace tilerig::verify
