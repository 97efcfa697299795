#include "compiler/Inject/Passes/InjectIntoPass.h"

#include "compiler/Graph/IR/Origins.h"

#include <fmt/format.h>
#include <mlir/Pass/Pass.h>
#include <mlir/Pass/PassInstrumentation.h>

namespace tilerig::compiler {

namespace {

llvm::hash_code hashOf(mlir::Operation *operation) {
  return llvm::hash_combine(operation->getName(), operation->getAttrDictionary(), operation->hashProperties(),
                            operation->getLoc(), llvm::hash_combine_range(operation->getOperands()),
                            llvm::hash_combine_range(operation->getResultTypes()));
}

mlir::func::FuncOp mainOf(mlir::Operation *operation) {
  if (auto module = llvm::dyn_cast<mlir::ModuleOp>(operation))
    return module.lookupSymbol<mlir::func::FuncOp>("main");
  return llvm::dyn_cast<mlir::func::FuncOp>(operation);
}

} // namespace

class PassBugInjector::Instrumentation : public mlir::PassInstrumentation {
public:
  Instrumentation(PassBugInjector &injector, bool isAgain) : injector(injector), isAgain(isAgain) {}

private:
  void runBeforePass(mlir::Pass *pass, mlir::Operation *operation) override {
    if (!pass->getArgument().empty())
      injector.beginPass(pass->getArgument(), operation, isAgain);
  }
  void runAfterPass(mlir::Pass *pass, mlir::Operation *operation) override {
    if (!pass->getArgument().empty())
      injector.endPass(operation);
  }

  PassBugInjector &injector;
  bool isAgain;
};

PassBugInjector::PassBugInjector(RewriteObservers &observers, const PassBug &bug)
    : observers(observers), bug(bug) {
  observers.add(*this);
}

PassBugInjector::PassBugInjector(RewriteObservers &observers, const PassBug &bug, PassBugSite site,
                                 BugDraw &draw)
    : observers(observers), bug(bug), wanted(std::move(site)), draw(&draw), drawAgain(draw) {
  observers.add(*this);
}

PassBugInjector::~PassBugInjector() { observers.remove(*this); }

void PassBugInjector::follow(mlir::PassManager &manager) {
  manager.addInstrumentation(std::make_unique<Instrumentation>(*this, false));
}

void PassBugInjector::followAgain(mlir::PassManager &manager) {
  isDoneAgain = false;
  manager.addInstrumentation(std::make_unique<Instrumentation>(*this, true));
}

std::string PassBugInjector::textIfInjectedNow() const {
  return isInjectedNow ? printBugChoice({&draw->bug(), draw->picked(), wanted->node}) : "";
}

Status PassBugInjector::outcome() const {
  if (isDone)
    return success();
  return failure ? *failure
                 : unsupported("the bug", "no pass rewrites the ONNX node that was chosen for the bug");
}

bool PassBugInjector::isConcerned() const {
  const bool mayInject = !wanted || (runsAgain ? isInjectedNow && !isDoneAgain : !isDone);
  return mayInject && llvm::is_contained(bug.passes, pass);
}

void PassBugInjector::beginPass(llvm::StringRef argument, mlir::Operation *operation, bool isAgain) {
  pass = argument.str();
  runsAgain = isAgain;
  announces = false;
  if (!isAgain)
    isInjectedNow = false;
  if (isConcerned())
    if (auto function = mainOf(operation))
      snapshot(function);
}

// If a pass does not report its rewrites one by one, all changes of the pass count as one rewrite. In the
// pass decide-precision, the decision on each layer counts as one rewrite.
void PassBugInjector::endPass(mlir::Operation *operation) {
  if (auto function = mainOf(operation); function && isConcerned() && !announces && copy)
    offer(function, nullptr, "");
  pass.clear();
  copy = {};
}

void PassBugInjector::before(const RewriteAttempt &attempt) {
  if (!isConcerned())
    return;
  announces = true;
  node = graph::nodeName(attempt.operation->getLoc());
  snapshot(attempt.function);
}

void PassBugInjector::after(const RewriteAttempt &attempt) {
  if (isConcerned() && copy)
    offer(attempt.function, copies.lookupOrNull(attempt.operation), node);
}

void PassBugInjector::snapshot(mlir::Operation *function) {
  copies.clear();
  hashes.clear();
  copy = function->clone(copies);
  function->walk([&](mlir::Operation *operation) { hashes[operation] = hashOf(operation); });
}

// Looks for an operation into which the bug can be injected among those that the rewrite changed.
void PassBugInjector::offer(mlir::Operation *function, mlir::Operation *matched, const std::string &at) {
  RewriteView rewrite{pass, matched, {}, llvm::cast<mlir::func::FuncOp>(function)};
  function->walk([&](mlir::Operation *operation) {
    const auto hash = hashes.find(operation);
    if (operation != function && (hash == hashes.end() || hash->second != hashOf(operation)))
      rewrite.changed.push_back(operation);
  });
  if (pass != "decide-precision")
    return offer(rewrite, at);
  for (mlir::Operation *operation : std::exchange(rewrite.changed, {}))
    if (isConcerned()) {
      rewrite.changed = {operation};
      offer(rewrite, at);
    }
}

void PassBugInjector::offer(const RewriteView &rewrite, std::string at) {
  mlir::Operation *const place = bug.find(rewrite);
  if (!place)
    return;
  PassBugSite site{pass, at.empty() ? graph::nodeName(place->getLoc()) : std::move(at)};
  if (!wanted) {
    const auto isOfNode = [&](const PassBugSite &other) { return other.node == site.node; };
    if (llvm::none_of(found, isOfNode))
      found.push_back(std::move(site));
    return;
  }
  // During bisection the pass is repeated and stopped early. If it is stopped before the rewrite into which
  // the bug was injected, the result must not contain the bug.
  if (site != *wanted || (runsAgain && announces != isInRewrite))
    return;
  BugDraw again = *drawAgain;
  if (const Status status = bug.inject(rewrite, place, runsAgain ? again : *draw); !status) {
    failure = status.error();
    return;
  }
  (runsAgain ? isDoneAgain : isDone) = true;
  if (runsAgain)
    return;
  isInjectedNow = true;
  isInRewrite = announces;
}

Result<PassInjection> injectIntoPass(const BugChoice &choice, uint64_t seed, RewriteObservers &observers,
                                     const CompileWithInjector &compile) {
  const PassBug *const bug = findPassBug(choice.bug->id);
  if (!bug)
    return internalError(std::string(choice.bug->id), "this bug has no implementation");
  PassBugInjector collector(observers, *bug);
  TILERIG_CHECK_OK(compile(collector));
  const std::vector<PassBugSite> sites = collector.sites();
  if (sites.empty())
    return unsupported(
        std::string(bug->id),
        fmt::format("no pass rewrites an operation that can have this bug; only rewrites of {} can have it",
                    fmt::join(bug->passes, ", ")));
  std::vector<std::string> nodes;
  for (const PassBugSite &site : sites)
    nodes.push_back(site.node);
  PassInjection injection;
  const auto injectAt = [&](uint32_t site, BugDraw &draw) -> Status {
    PassBugInjector injector(observers, *bug, sites[site], draw);
    injection.compiled = compile(injector);
    const Status injected = injector.outcome();
    return injected || injection.compiled ? injected : injection.compiled;
  };
  TILERIG_TRY(injection.injected.bug, injectSomewhere(choice, seed, nodes, injectAt));
  injection.injected.pass = sites[injection.injected.bug.layer].pass;
  return injection;
}

} // namespace tilerig::compiler
