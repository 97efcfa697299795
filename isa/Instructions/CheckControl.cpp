// Checks the rules of control instructions: synchronisation, delays and markers.

#include "isa/Instructions/CheckRules.h"
#include "isa/Instructions/CheckValues.h"

namespace tilerig::rules {
namespace {

Status checkSemaphore(unsigned semaphore, const Setting &setting) {
  const unsigned semaphores = setting.machine.tile.semaphores;
  return semaphore < semaphores
             ? success()
             : refuse(topLevel("semaphore"), semaphore,
                      fmt::format("expected a semaphore of the machine, 0..{}", semaphores - 1));
}

Status checkOtherEngine(const Sync &sync, const Setting &) {
  return sync.engine != sync.on
             ? success()
             : refuse(topLevel("on"), sync.on, "expected an engine other than the one that waits");
}

Status checkTile(const Signal &signal, const Setting &setting) {
  return signal.tile < setting.tiles
             ? success()
             : refuse(topLevel("tile"), signal.tile,
                      fmt::format("expected a tile of the program, 0..{}", setting.tiles - 1));
}

Status checkOwnTile(const GroupBarrier &barrier, const Setting &setting) {
  return barrier.tiles >> setting.tile & 1
             ? success()
             : Status(invalidInput(fieldName(topLevel("tiles")),
                                   fmt::format("does not contain tile {}", setting.tile),
                                   "expected the instruction's own tile to be a member"));
}

constexpr std::string_view semaphoreRule = "`semaphore` is a semaphore of the machine";

constexpr Rule<Sync> syncRules[] = {
    {"`engine`, which waits, and `on`, for which it waits, are different engines", checkOtherEngine}};

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
    {"`tiles` contains only tiles of the program",
     [](const GroupBarrier &barrier, const Setting &setting) { return checkTiles(barrier.tiles, setting); }},
    {"the instruction's own tile is one of `tiles`", checkOwnTile},
};

constexpr RuleBook<Halt> bookOf(Of<Halt>) { return {}; }
constexpr RuleBook<Sync> bookOf(Of<Sync>) { return {.rules = syncRules}; }
constexpr RuleBook<Signal> bookOf(Of<Signal>) { return {.rules = signalRules}; }
constexpr RuleBook<Wait> bookOf(Of<Wait>) { return {.rules = waitRules}; }
constexpr RuleBook<GroupBarrier> bookOf(Of<GroupBarrier>) { return {.rules = groupBarrierRules}; }
constexpr RuleBook<GlobalBarrier> bookOf(Of<GlobalBarrier>) { return {}; }
constexpr RuleBook<Delay> bookOf(Of<Delay>) { return {}; }
constexpr RuleBook<Marker> bookOf(Of<Marker>) { return {}; }

constexpr auto controlBooks =
    collectBooks(InstructionsOf<Family::control>(), [](auto of) { return bookOf(of); });

} // namespace

const RuleBooks<InstructionsOf<Family::control>> &booksOf(In<Family::control>) { return controlBooks; }

} // namespace tilerig::rules
