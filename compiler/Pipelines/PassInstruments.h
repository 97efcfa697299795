// Shows what passes do: their texts, times, statistics and remarks, and reproducers of their failures. All phases
// of a compilation share one object, so that times and statistics are one report each.
#pragma once

#include "compiler/Passes/Remarks.h"
#include "compiler/Pipelines/PassRequests.h"
#include "isa/Base/Support/Error.h"

#include <mlir/Pass/PassManager.h>
#include <mlir/Support/Timing.h>
#include <optional>

namespace tilerig::compiler {

class PassInstruments {
public:
  // Everything is printed to `stream`: texts of modules at once, the rest by report().
  PassInstruments(const PassDebugging &debugging, mlir::MLIRContext &context, llvm::raw_ostream &stream);
  ~PassInstruments();

  // Checks what the user asks for, and creates the folder of the texts.
  Status check() const;

  // Measures the time until the returned scope ends, as `step`.
  mlir::TimingScope time(llvm::StringRef step);
  // Adds the instruments to the pass manager of a phase, in front of all others.
  void add(mlir::PassManager &manager, llvm::StringRef phase);

  // Prints times, statistics and remarks.
  void report();

private:
  class Counter;

  void addPrinting(mlir::PassManager &manager, llvm::StringRef phase) const;
  void reportStatistics() const;
  void reportRemarks() const;

  const PassDebugging debugging;
  llvm::raw_ostream &stream;
  std::optional<RemarkCollector> remarks;
  // How often each pass has run, in the order of their first runs.
  std::vector<std::pair<std::string, unsigned>> runs;
  unsigned phases = 0;
  mlir::DefaultTimingManager timing;
  mlir::TimingScope total;
};

// Whether the verifier runs after each pass, unless the user decides: yes in development builds. In release
// builds it runs after each phase, because it takes up to a quarter of the time of all passes.
bool verifiesEachPass();

} // namespace tilerig::compiler
