// Rules of control instructions.

#include "isa/Instructions/CheckRules.h"
#include "isa/Instructions/CheckValues.h"

namespace tilerig::rules {
namespace {

Status checkSemaphore(unsigned semaphore, const Setting &setting) {
  const unsigned semaphores = setting.machine.tile.semaphores;
  return semaphore < semaphores ? success()
                                : refuse(topLevel("semaphore"), semaphore,
                                         fmt::format("a semaphore of the machine, 0..{}", semaphores - 1));
}

Status checkOtherEngine(const Sync &sync, const Setting &) {
  return sync.engine != sync.on ? success()
                                : refuse(topLevel("on"), sync.on, "an engine other than the one that waits");
}

Status checkTile(const Signal &signal, const Setting &setting) {
  return signal.tile < setting.tiles ? success()
                                     : refuse(topLevel("tile"), signal.tile,
                                              fmt::format("a tile of the program, 0..{}", setting.tiles - 1));
}

Status checkOwnTile(const GroupBarrier &barrier, const Setting &setting) {
  return barrier.tiles >> setting.tile & 1
             ? success()
             : Status(invalidInput(fieldName(topLevel("tiles")),
                                   fmt::format("does not contain tile {}", setting.tile),
                                   "expected the instruction's own tile to be a member"));
}

constexpr std::string_view semaphoreRule = "`semaphore` is one of the machine's";

constexpr Rule<Sync> syncRules[] = {{"`engine` and `on` differ", checkOtherEngine}};

constexpr Rule<Signal> signalRules[] = {
    {"`tile` is a tile of the program", checkTile},
    {semaphoreRule,
     [](const Signal &signal, const Setting &setting) { return checkSemaphore(signal.semaphore, setting); }},
};

constexpr Rule<Wait> waitRules[] = {
    {semaphoreRule,
     [](const Wait &wait, const Setting &setting) { return checkSemaphore(wait.semaphore, setting); }},
};

constexpr Rule<GroupBarrier> groupBarrierRules[] = {
    {"`tiles` are tiles of the program",
     [](const GroupBarrier &barrier, const Setting &setting) { return checkTiles(barrier.tiles, setting); }},
    {"the own tile is one of `tiles`", checkOwnTile},
};

} // namespace

RuleBook<Halt> rulesOf(Of<Halt>) { return {}; }
RuleBook<Sync> rulesOf(Of<Sync>) { return {.rules = syncRules}; }
RuleBook<Signal> rulesOf(Of<Signal>) { return {.rules = signalRules}; }
RuleBook<Wait> rulesOf(Of<Wait>) { return {.rules = waitRules}; }
RuleBook<GroupBarrier> rulesOf(Of<GroupBarrier>) { return {.rules = groupBarrierRules}; }
RuleBook<GlobalBarrier> rulesOf(Of<GlobalBarrier>) { return {}; }
RuleBook<Delay> rulesOf(Of<Delay>) { return {}; }
RuleBook<Marker> rulesOf(Of<Marker>) { return {}; }

} // namespace tilerig::rules
