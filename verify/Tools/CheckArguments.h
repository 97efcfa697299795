// Command line of `tilerig check`.
#pragma once

#include "verify/Check/Check.h"
#include "verify/Check/Gate.h"
#include "verify/Tools/LimitOptions.h"

namespace tilerig::verify {

enum class CheckMode { fast, timed };
enum class Keep { all, failed };

struct CheckArguments {
  std::vector<std::string> models, inputs, inputShapes;
  std::vector<std::string> inject; // bugs to inject, as text
  unsigned steps = 0; // number of steps of the loop in which the network runs; 0: one run, no loop
  std::vector<std::string> state; // which outputs are inputs of the next step, as OUTPUT=INPUT
  std::string precision = "fp32", calibration, machine = "tr64", strategy, program;
  std::string thresholds, report, baseline, debug, classifier;
  compiler::QuantisedEdges edges;
  LimitOptions limits;
  CheckMode mode = CheckMode::fast;
  std::optional<uint64_t> jitter;
  bool pinsWeights = false, stopsAtFaults = false, quiet = false;
  compiler::PassRequests passes;
  bool afterEachPass = false; // whether to check each pass of the compiler
  Gate gate;
  // Which tensors get evidence files (pictures and the classifier's input) in the report.
  Keep keep = Keep::all;
  std::optional<int64_t> batch;
  unsigned tiles = 0, threads = 0;
  uint64_t seed = 0, injectSeed = 0;

  // Declares all options of `tilerig check`.
  void declare(CommandOptions &line);
  // Declares only those that state what is compiled, on which inputs it runs, and which bug is injected: the options
  // that `tilerig bisect` has in common with `tilerig check`.
  void declareCase(CommandOptions &line);
  // Whether the command judges a wrong pass again from its reproducer (.mlir), instead of checking a model.
  bool replays() const { return models.size() == 1 && models.front().ends_with(".mlir"); }
  // Refuses combinations of options that exclude each other.
  Status check(const CommandOptions &options, bool json) const;
  // Does the same for the options that declareCase() declares.
  Status checkCase(const CommandOptions &options) const;
  // The compiler options that the command line states. In messages, inputsInWords() names the inputs by which
  // 8-bit types are calibrated.
  Result<CompileOptions> compileOptions() const;
  std::string inputsInWords() const;
  // The bugs of --inject.
  Result<std::vector<BugChoice>> bugs() const;
  // The tensors of --input, or random ones; those of a further step of a loop come from another seed.
  Result<TensorMap> inputsFor(const SourceModel &source, size_t step = 0) const;

private:
  Status refuseIdle(const CommandOptions &options) const;
  Status refuseIdleOfReproducer(const CommandOptions &options) const;
  Status refuseIdleOfReport(const CommandOptions &options, bool json) const;
};

} // namespace tilerig::verify
