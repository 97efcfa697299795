// A trial: one check of a network in a child process, which shows whether the network fails and how.
//
// A trial ends with a failure whatever happens: the compiler refuses the network, crashes or does not end; the program is
// not proved, runs into a fault or does not end; or a tensor or an emitted layer is wrong.
#pragma once

#include "verify/Bisect/WrongPlace.h"
#include "verify/Check/Check.h"

#include <algorithm>

namespace tilerig::verify {

enum class FailureKind {
  none,
  compileError,
  compilerCrash,
  compilerTimeout,
  notProved, // the analyser found a problem, such as a race or a deadlock
  fault,     // a trap ended the run
  runCrash,
  runTimeout,
  mismatch,  // a tensor of the device is wrong
  wrongLayer // a layer of the emitted ONNX model is wrong: in floats, or in its precision
};
std::string_view nameOf(FailureKind kind); // "compile_error", as in JSON
std::optional<FailureKind> failureKindNamed(std::string_view name);
// Whether the failure shows before there is a program.
bool isOfCompiler(FailureKind kind);

// Something that is wrong by itself, not because of its inputs.
struct WrongTensor {
  std::string tensor = {}, layer = {}, kind = {}; // kind of the layer
  std::vector<std::string> nodes = {}, ops = {};  // of the layer, in the original model
  std::vector<std::string> reads = {};            // layers whose results the layer reads
  std::string by = {};                            // "device", "emitted", "rounded" or the kind of a finding
  std::string reason = {};
  std::string verdict = {}; // class of bugs that the first wrong tensor of the device looks like
  std::optional<WrongPlace> place = {};
};

// What a layer is made from, which is the same in the whole network and in a part of it.
struct LayerIdentity {
  std::vector<std::string> nodes = {}; // ONNX nodes
  std::string kind = {};
  size_t position = 0; // among the layers with these nodes and of this kind

  bool isMadeLike(const proto::Layer &layer) const {
    return layer.kind() == kind && std::ranges::equal(layer.onnx_nodes(), nodes);
  }
};

struct TrialResult {
  FailureKind failure = FailureKind::none;
  std::string reason;             // of the failure; empty if there is none
  std::vector<WrongTensor> wrong; // tensors of the device in the order of layers, then layers as emitted
  std::string strategy;           // strategy file with which the network was compiled
  // Text of the injected bug with its layer and all parameters; empty if none was injected.
  std::string injected, injectedLayer;
  LayerIdentity injectedIdentity = {}; // of that layer
  // Why the bug that was to be injected has no place in this network. There is no failure then, and the network was not
  // run.
  std::string notInjected;
  std::optional<Error> wrongUsage = {}; // the compiler refused an option, not the network
  bool isEquivalent = false;            // the injected bug changes no bit
  // Whether everything else is right if the first wrong tensor of the device is replaced by the right one; only if it was
  // asked for.
  std::optional<bool> clears = {};
  // Tensors of the model that are right as emitted. Those that are computed inside of a layer, or that the compiler has
  // rearranged, are not judged.
  std::vector<std::string> emittedRight = {};
};
Json asJson(const TrialResult &result);
// Refuses a document that asJson() cannot have written.
Result<TrialResult> trialFromJson(const Json &json);
// Whether two failures may have the same cause: both are of the compiler, of the same kind and, for errors, with the same
// message apart from names and numbers; or both are of programs.
bool areAlike(const TrialResult &first, const TrialResult &second);

// Names the class of bugs that a wrong tensor of the device looks like.
using VerdictOn = std::function<Result<std::string>(
    const Check &check, const CheckRun &run, const CheckedTensor &tensor, reference::Threads &threads)>;

struct TrialOptions {
  CompileOptions compile;
  DeviceOptions device;
  std::string inject; // text of a bug; empty: none
  uint64_t injectSeed = 0;
  // Identifies the layer of the bug if the bug states the number of a layer, which differs from network to network.
  std::optional<LayerIdentity> injectLayer = {};
  unsigned threads = 0;
  double seconds = 0;         // time limit; 0: none
  VerdictOn verdictOn = {};   // may be empty
  bool replacesFirst = false; // whether TrialResult::clears is asked for, which takes another run
};

// The calling process must have no other threads.
Result<TrialResult> runTrial(const SourceModel &source, const TensorMap &inputs, const TrialOptions &options);

} // namespace tilerig::verify
