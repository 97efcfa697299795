// Debugging output of passes: the module's text before and after them, times, statistics, remarks, and
// reproducers of failures. All phases of a compilation share one object of this class, so that there is a
// single report of times and of statistics.
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
  // Texts of modules are printed to `stream` while passes run. Times, statistics and remarks are printed when
  // report() is called.
  PassInstruments(const PassDebugging &debugging, mlir::MLIRContext &context, llvm::raw_ostream &stream);
  ~PassInstruments();

  // Checks the options in `debugging`, and creates the folder to which modules are written.
  Status check() const;

  // Measures the time until the returned object is destroyed. The report of times lists it under the name
  // `step`.
  mlir::TimingScope time(llvm::StringRef step);
  // Adds the requested printing and timing to the pass manager of a phase. Must be called before any other
  // instrumentation is added.
  void add(mlir::PassManager &manager, llvm::StringRef phase);

  // Prints the requested times, statistics and remarks of all passes that have run.
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

// Whether MLIR's verifier runs after each pass by default. It does in development builds. In release builds
// it runs only after each phase, because it would take up to a quarter of the time of all passes.
bool verifiesEachPass();

} // namespace tilerig::compiler
