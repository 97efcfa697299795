// Checks passes over programs (levels `tile` and `isa`): after each pass that changed the program, the
// emulator runs the program, and every tensor that the program keeps must have the same bits as before.
#pragma once

#include "compiler/PassCheck/ComparePrograms.h"
#include "compiler/PassCheck/Rewrites.h"

namespace tilerig::compiler {

class ProgramWatch {
public:
  // Adds the outcome of the check of each pass to `judged`. All arguments must outlive this object.
  ProgramWatch(ProgramRunner &runner, RewriteObservers &observers, PassCheckResult &judged)
      : runner(runner), observers(observers), judged(judged) {}

  // Checks the passes that the manager will run. This object must outlive the manager.
  void follow(mlir::PassManager &manager);

private:
  class Instrumentation;
  struct Begun; // state of a pass that is running

  void judge(const Begun &pass, mlir::ModuleOp after);
  void blame(const Begun &pass, ProgramDifference difference);

  ProgramRunner &runner;
  RewriteObservers &observers;
  PassCheckResult &judged;
};

} // namespace tilerig::compiler
