// Passes that a user inserts into the pipeline, for example passes of a plugin that is to be tested.
#pragma once

#include "isa/Base/Support/Error.h"

#include <mlir/Pass/PassManager.h>
#include <string>
#include <vector>

namespace tilerig::compiler {

// A pass or a pipeline that a user inserts before or after another pass, wherever that pass runs.
struct InsertedPass {
  std::string pipeline; // for modules, such as "func.func(my-pass{option=1})" or "isa.program(my-pass)"
  // Name of the pass before or after which this pass is inserted. If empty, this pass is inserted behind all
  // passes on level `graph`.
  std::string anchor;
  bool isBefore = false; // whether this pass is inserted in front of the pass `anchor`; else behind it

  // Whether this pass runs on programs: on level `tile` (behind lower-to-tile), or on level `isa` (behind
  // lower-to-isa).
  bool isOnProgram() const { return anchor == "lower-to-isa" || (anchor == "lower-to-tile" && !isBefore); }
};

// Parses `NAME{options}`, `NAME{options}@after=PASS` or `NAME{options}@before=PASS`. The pass must be
// registered.
Result<InsertedPass> parseInsertedPass(const std::string &text);
// Refuses an insertion before or after a pass whose name is not in `names`.
Status checkAnchors(llvm::ArrayRef<InsertedPass> inserted, llvm::ArrayRef<std::string> names);

// Adds passes over modules or functions to a pass manager for modules. In front of and behind each pass, adds
// the passes that the user inserts before or after it.
class PassSequence {
public:
  // `names`, if not null, receives the names of the passes before or after which users can insert others.
  PassSequence(mlir::OpPassManager &module, llvm::ArrayRef<InsertedPass> inserted,
               std::vector<std::string> *names = nullptr)
      : module(module), inserted(inserted), names(names) {}

  void add(std::unique_ptr<mlir::Pass> pass);
  // Adds a pass alone, without the passes that the user inserts before or after it.
  void addAlone(std::unique_ptr<mlir::Pass> pass);
  // Add only the passes that the user inserts before (or after) the pass `anchor`, but not the pass `anchor`
  // itself.
  void addBefore(llvm::StringRef anchor) { insert(anchor, true); }
  void addAfter(llvm::StringRef anchor) { insert(anchor, false); }

private:
  void insert(llvm::StringRef anchor, bool isBefore);

  mlir::OpPassManager &module;
  llvm::ArrayRef<InsertedPass> inserted;
  std::vector<std::string> *names;
};

} // namespace tilerig::compiler
