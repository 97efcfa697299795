#include "tests/unit/Analyser/Interleavings.h"

#include "tests/support/PlainAccess.h"

#include <algorithm>
#include <array>
#include <map>

namespace tilerig::test {

namespace {

// The parts of a tile whose progress a state counts. The sequencer counts two steps per instruction, so that
// the odd count means "has reached the barrier". The POD (matrix engine), the PE (vector engine) and each
// phase of a DMA engine count two steps per instruction of their queue; the count is odd while an instruction
// is in progress.
enum Part : unsigned { sequencer, pod, pe, inRead, inWrite, outRead, outWrite };
constexpr unsigned numParts = 7, mostTiles = 4;
using Counters = std::array<uint8_t, mostTiles * numParts>;

constexpr unsigned counterOf(unsigned tile, unsigned part) { return tile * numParts + part; }
// The part of a tile in which an instruction of the engine begins, and the part in which it finishes. They
// differ for DMA engines, whose read and write phases are two parts.
unsigned beginPart(Engine engine) {
  return engine == Engine::pod ? pod : engine == Engine::pe ? pe : engine == Engine::dmaIn ? inRead : outRead;
}
unsigned finishPart(Engine engine) {
  return engine == Engine::pod     ? pod
         : engine == Engine::pe    ? pe
         : engine == Engine::dmaIn ? inWrite
                                   : outWrite;
}

// The condition that a counter has reached a value. If a signal ends when the counter reaches this value,
// `amount` is the number that the signal adds to its semaphore.
struct Reached {
  unsigned counter = 0, value = 0;
  uint32_t amount = 0;

  bool in(const Counters &state) const { return state[counter] >= value; }
};

struct Key {
  uint64_t low = 0, high = 0;
  bool operator==(const Key &) const = default;
};

// Hash set with open addressing, because there are many small states.
class KeySet {
public:
  KeySet() : slots(1024), taken(1024) {}
  bool insert(Key key) {
    if (2 * count >= slots.size())
      grow();
    size_t at = hash(key) & (slots.size() - 1);
    while (taken[at]) {
      if (slots[at] == key)
        return false;
      at = (at + 1) & (slots.size() - 1);
    }
    slots[at] = key;
    taken[at] = true;
    ++count;
    return true;
  }
  size_t size() const { return count; }

private:
  static uint64_t hash(Key key) {
    uint64_t h = (key.low ^ key.high * 0x9E3779B97F4A7C15) * 0xD6E8FEB86659FD93;
    return h ^ h >> 32;
  }
  void grow() {
    KeySet larger(slots.size() * 4);
    for (size_t i = 0; i < slots.size(); ++i)
      if (taken[i])
        larger.insert(slots[i]);
    *this = std::move(larger);
  }
  explicit KeySet(size_t size) : slots(size), taken(size) {}

  std::vector<Key> slots;
  std::vector<char> taken;
  size_t count = 0;
};

// The accesses of an instruction, or of one phase of a transfer, which is in progress exactly while the
// counter with index `counter` has the value `value`.
struct Activity {
  unsigned tile, instruction, counter, value;
  std::map<PlainOperand, std::vector<uint64_t>> operands;
};

bool intersects(const std::vector<uint64_t> &a, const std::vector<uint64_t> &b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j])
      return true;
    a[i] < b[j] ? ++i : ++j;
  }
  return false;
}

class Explorer {
public:
  Explorer(const Program &program, uint32_t stage, const InitialBytes &initial)
      : code(std::get<DeviceStage>(program.stages[stage].work).tiles), depth(program.machine.tile.queueDepth),
        initial(initial), tiles(code.size()), numCounters(static_cast<unsigned>(code.size()) * numParts) {
    for (unsigned tile = 0; tile < code.size(); ++tile)
      for (unsigned i = 0; i < code[tile].size(); ++i)
        place(tile, i);
    for (unsigned tile = 0; tile < code.size(); ++tile)
      for (unsigned i = 0; i < code[tile].size(); ++i)
        condition(tile, i);
    for (unsigned counter = 0; counter < numCounters; ++counter)
      while (mostOf(counter) >> width[counter])
        ++width[counter];
    relate();
  }

  std::optional<Verdict> run(size_t mostStates) {
    std::vector<Counters> open;
    const auto visit = [&](const Counters &state) {
      if (seen.insert(pack(state)))
        open.push_back(state);
    };
    visit(Counters{});
    while (!open.empty()) {
      if (seen.size() > mostStates)
        return std::nullopt;
      const Counters state = open.back();
      open.pop_back();
      look(state);
      bool moved = false;
      for (unsigned counter = 0; counter < numCounters; ++counter)
        if (const unsigned by = move(state, counter / numParts, counter % numParts)) {
          Counters next = state;
          next[counter] = static_cast<uint8_t>(next[counter] + by);
          visit(next);
          moved = true;
        }
      if (!moved)
        end(state);
    }
    verdict.states = seen.size();
    collect();
    return verdict;
  }

private:
  // An instruction of a tile with its position in the queue and the conditions under which a sync, wait or
  // barrier continues.
  struct Placed {
    Engine engine = Engine::sequencer;
    unsigned ordinal = 0;                         // index of the instruction in its engine's queue
    std::array<unsigned, numEngines> before = {}; // for each engine: number of earlier instructions
    bool isControl = false, isBarrier = false;
    std::vector<Reached> all; // conditions that must all hold before the instruction continues
    // The instruction continues when the amounts of these signals add up to `value`.
    std::vector<Reached> sum;
    uint64_t value = 0;
  };
  struct Tile {
    std::vector<Placed> code;
    std::array<std::vector<unsigned>, numEngines> queues;
  };

  void place(unsigned tile, unsigned index) {
    Tile &placedTile = tiles[tile];
    const Instruction &instruction = code[tile][index];
    Placed placed;
    placed.engine = engineOf(instruction);
    for (unsigned e = 0; e < numEngines; ++e)
      placed.before[e] = static_cast<unsigned>(placedTile.queues[e].size());
    placed.ordinal = placed.before[static_cast<unsigned>(placed.engine)];
    placed.isBarrier = std::holds_alternative<GroupBarrier>(instruction) ||
                       std::holds_alternative<GlobalBarrier>(instruction);
    const PlainAccesses accesses = plainAccesses(instruction, tile);
    placed.isControl = accesses.empty();
    placedTile.queues[static_cast<unsigned>(placed.engine)].push_back(index);
    if (!accesses.empty())
      addActivities(tile, index, placed, accesses);
    placedTile.code.push_back(std::move(placed));
  }

  void addActivities(unsigned tile, unsigned index, const Placed &placed, const PlainAccesses &accesses) {
    const unsigned running = 2 * placed.ordinal + 1;
    const unsigned begin = counterOf(tile, beginPart(placed.engine)),
                   finish = counterOf(tile, finishPart(placed.engine));
    if (begin == finish) {
      activities.push_back({tile, index, begin, running, accesses});
      return;
    }
    Activity reading{tile, index, begin, running, {}}, writing{tile, index, finish, running, {}};
    for (const auto &entry : accesses)
      (entry.first.write ? writing : reading).operands.insert(entry);
    activities.push_back(reading);
    activities.push_back(writing);
  }

  void condition(unsigned tile, unsigned index) {
    Placed &placed = tiles[tile].code[index];
    const Instruction &instruction = code[tile][index];
    if (const auto *sync = std::get_if<Sync>(&instruction)) {
      const unsigned before = placed.before[static_cast<unsigned>(sync->on)];
      if (before > sync->pending)
        placed.all.push_back({counterOf(tile, finishPart(sync->on)), 2 * (before - sync->pending)});
    }
    if (const auto *wait = std::get_if<Wait>(&instruction)) {
      placed.value = wait->value;
      placed.sum = signalsOf(tile, wait->semaphore);
    }
    if (placed.isBarrier)
      placed.all = membersOf(tile, index);
  }

  // For each signal to the semaphore: the value of a counter at which this signal has finished.
  std::vector<Reached> signalsOf(unsigned owner, unsigned semaphore) const {
    std::vector<Reached> signals;
    for (unsigned tile = 0; tile < code.size(); ++tile)
      for (unsigned i = 0; i < code[tile].size(); ++i)
        if (const auto *signal = std::get_if<Signal>(&code[tile][i]);
            signal && signal->tile == owner && signal->semaphore == semaphore)
          signals.push_back(signal->engine == Engine::sequencer
                                ? Reached{counterOf(tile, sequencer), 2 * (i + 1), signal->amount}
                                : Reached{counterOf(tile, finishPart(signal->engine)),
                                          2 * (tiles[tile].code[i].ordinal + 1), signal->amount});
    return signals;
  }

  uint64_t groupOf(const Instruction &instruction) const {
    if (const auto *barrier = std::get_if<GroupBarrier>(&instruction))
      return barrier->tiles;
    return std::holds_alternative<GlobalBarrier>(instruction) ? (uint64_t{1} << code.size()) - 1 : 0;
  }
  // The conditions under which the tile leaves the barrier at `index`. If this is the n-th time that the tile
  // reaches a barrier of its group, every member of the group must have reached such a barrier n times.
  std::vector<Reached> membersOf(unsigned tile, unsigned index) const {
    const uint64_t group = groupOf(code[tile][index]);
    unsigned n = 0;
    for (unsigned i = 0; i < index; ++i)
      n += groupOf(code[tile][i]) == group;
    std::vector<Reached> members;
    for (unsigned other = 0; other < code.size(); ++other) {
      if (!(group >> other & 1))
        continue;
      // A tile without another barrier of this group gets the value UINT8_MAX, which its counter never
      // reaches.
      Reached member{counterOf(other, sequencer), UINT8_MAX};
      unsigned met = 0;
      for (unsigned i = 0; i < code[other].size(); ++i)
        if (groupOf(code[other][i]) == group && met++ == n)
          member.value = 2 * i + 1;
      members.push_back(member);
    }
    return members;
  }

  // The largest value of a counter; counters are packed into as few bits as this needs.
  unsigned mostOf(unsigned counter) const {
    const unsigned tile = counter / numParts, part = counter % numParts;
    if (part == sequencer)
      return 2 * static_cast<unsigned>(code[tile].size());
    for (unsigned e = 1; e < numEngines; ++e)
      if (beginPart(static_cast<Engine>(e)) == part || finishPart(static_cast<Engine>(e)) == part)
        return 2 * static_cast<unsigned>(tiles[tile].queues[e].size());
    return 0;
  }
  Key pack(const Counters &state) const {
    Key key;
    for (unsigned i = 0; i < numCounters; ++i) {
      if (width[i] == 0)
        continue;
      key.high = key.high << width[i] | key.low >> (64 - width[i]);
      key.low = key.low << width[i] | state[i];
    }
    return key;
  }

  // Finds the pairs of activities that conflict, and for each read the activities that write its bytes.
  void relate() {
    const size_t n = activities.size();
    conflicts.resize(n);
    raced.resize(n);
    for (size_t a = 0; a < n; ++a)
      for (size_t b = 0; b < n; ++b) {
        const bool same = activities[a].tile == activities[b].tile &&
                          activities[a].instruction == activities[b].instruction;
        if (!same && !conflictsOf(activities[a], activities[b]).empty())
          conflicts[a] |= uint64_t{1} << b;
      }
    for (size_t a = 0; a < n; ++a)
      for (const auto &[operand, bytes] : activities[a].operands)
        if (!operand.write)
          addReader(a, operand, bytes);
  }

  static std::vector<Race> conflictsOf(const Activity &a, const Activity &b) {
    std::vector<Race> races;
    for (const auto &[operandA, bytesA] : a.operands)
      for (const auto &[operandB, bytesB] : b.operands)
        if (operandA.memory == operandB.memory && (operandA.write || operandB.write) &&
            intersects(bytesA, bytesB)) {
          Race race{operandA.memory,
                    {a.tile, a.instruction, operandA.name},
                    {b.tile, b.instruction, operandB.name}};
          if (race.second < race.first)
            std::swap(race.first, race.second);
          races.push_back(race);
        }
    return races;
  }

  struct Reader {
    size_t activity;
    std::string operand;
    // The sets of activities that write the operand's uninitialised bytes. Bytes with equal sets share one
    // entry.
    std::vector<uint64_t> writers;
    bool uninitialised = false;
  };
  void addReader(size_t activity, const PlainOperand &operand, const std::vector<uint64_t> &bytes) {
    std::set<uint64_t> writers;
    for (uint64_t byte : bytes) {
      if (initial[static_cast<size_t>(operand.memory)].contains(byte))
        continue;
      uint64_t set = 0;
      for (size_t b = 0; b < activities.size(); ++b)
        for (const auto &[other, written] : activities[b].operands)
          if (other.write && other.memory == operand.memory && std::ranges::binary_search(written, byte))
            set |= uint64_t{1} << b;
      writers.insert(set);
    }
    readers.push_back({activity, operand.name, {writers.begin(), writers.end()}});
  }

  static bool isSatisfied(const Counters &state, const Placed &placed) {
    uint64_t sum = 0;
    for (const Reached &signal : placed.sum)
      sum += signal.in(state) ? signal.amount : 0;
    return sum >= placed.value &&
           std::ranges::all_of(placed.all, [&](const Reached &reached) { return reached.in(state); });
  }

  // By how much the counter of a part of the tile (the sequencer, one of the engines POD and PE, or a phase
  // of a DMA engine) may grow in this state; 0: the part is blocked.
  unsigned move(const Counters &state, unsigned tile, unsigned part) const {
    switch (part) {
    case sequencer:
      return sequencerMove(state, tile);
    case pod:
      return beginMove(state, tile, Engine::pod);
    case pe:
      return beginMove(state, tile, Engine::pe);
    case inRead:
      return beginMove(state, tile, Engine::dmaIn);
    case outRead:
      return beginMove(state, tile, Engine::dmaOut);
    case inWrite:
      return writeMove(state, tile, Engine::dmaIn);
    default:
      return writeMove(state, tile, Engine::dmaOut);
    }
  }

  unsigned issued(const Counters &state, unsigned tile, Engine engine) const {
    const unsigned pc = state[counterOf(tile, sequencer)] / 2;
    return pc < tiles[tile].code.size()
               ? tiles[tile].code[pc].before[static_cast<unsigned>(engine)]
               : static_cast<unsigned>(tiles[tile].queues[static_cast<unsigned>(engine)].size());
  }
  static unsigned finished(const Counters &state, unsigned tile, Engine engine) {
    return state[counterOf(tile, finishPart(engine))] / 2;
  }

  unsigned sequencerMove(const Counters &state, unsigned tile) const {
    const unsigned counter = state[counterOf(tile, sequencer)], pc = counter / 2;
    if (pc == tiles[tile].code.size())
      return 0;
    const Placed &placed = tiles[tile].code[pc];
    if (placed.isBarrier) {
      const bool may = counter % 2 == 0 ? isDrained(state, tile) : isSatisfied(state, placed);
      return may ? 1 : 0;
    }
    if (placed.engine == Engine::sequencer)
      return isSatisfied(state, placed) ? 2 : 0;
    return placed.ordinal - finished(state, tile, placed.engine) < depth ? 2 : 0;
  }

  bool isDrained(const Counters &state, unsigned tile) const {
    for (unsigned e = 1; e < numEngines; ++e)
      if (finished(state, tile, static_cast<Engine>(e)) < issued(state, tile, static_cast<Engine>(e)))
        return false;
    return true;
  }

  // Returns by how much the engine's counter may grow in this state: by 1 if its next instruction (for DMA,
  // the read phase) may begin or end, by 2 if a control instruction begins and ends at once, by 0 if it is
  // blocked.
  unsigned beginMove(const Counters &state, unsigned tile, Engine engine) const {
    const unsigned counter = state[counterOf(tile, beginPart(engine))];
    if (counter % 2 == 1)
      return 1;
    if (counter / 2 >= issued(state, tile, engine))
      return 0;
    const Placed &placed = tiles[tile].code[tiles[tile].queues[static_cast<unsigned>(engine)][counter / 2]];
    if (!placed.isControl)
      return 1;
    return isSatisfied(state, placed) ? 2 : 0;
  }
  // The write phase begins only after the read phase has begun, and ends only after the read phase has ended.
  unsigned writeMove(const Counters &state, unsigned tile, Engine engine) const {
    const unsigned counter = state[counterOf(tile, finishPart(engine))];
    const unsigned reading = state[counterOf(tile, beginPart(engine))];
    if (reading <= counter)
      return 0;
    if (counter % 2 == 1)
      return 1;
    const Placed &placed = tiles[tile].code[tiles[tile].queues[static_cast<unsigned>(engine)][counter / 2]];
    if (!placed.isControl)
      return 1;
    return reading >= counter + 2 ? 2 : 0;
  }

  void look(const Counters &state) {
    uint64_t active = 0, ended = 0;
    for (size_t a = 0; a < activities.size(); ++a) {
      const unsigned counter = state[activities[a].counter];
      active |= uint64_t{counter == activities[a].value} << a;
      ended |= uint64_t{counter > activities[a].value} << a;
    }
    for (size_t a = 0; a < activities.size(); ++a)
      if (active >> a & 1)
        raced[a] |= active & conflicts[a];
    for (Reader &reader : readers)
      if (!reader.uninitialised && active >> reader.activity & 1)
        for (uint64_t writers : reader.writers)
          reader.uninitialised |= (writers & ended) == 0;
  }

  void end(const Counters &state) {
    bool done = true;
    for (unsigned tile = 0; tile < code.size(); ++tile)
      done &= state[counterOf(tile, sequencer)] / 2 == code[tile].size() && isDrained(state, tile);
    if (!done) {
      verdict.deadlock = true;
      return;
    }
    for (unsigned owner = 0; owner < code.size(); ++owner)
      for (unsigned semaphore = 0; semaphore < 256; ++semaphore) {
        uint64_t sum = 0;
        for (const Reached &signal : signalsOf(owner, semaphore))
          sum += signal.amount;
        if (sum > mostWaitedFor(owner, semaphore))
          verdict.leftOver.insert({owner, semaphore});
      }
  }
  uint64_t mostWaitedFor(unsigned tile, unsigned semaphore) const {
    uint64_t most = 0;
    for (const Instruction &instruction : code[tile])
      if (const auto *wait = std::get_if<Wait>(&instruction); wait && wait->semaphore == semaphore)
        most = std::max<uint64_t>(most, wait->value);
    return most;
  }

  void collect() {
    for (size_t a = 0; a < activities.size(); ++a)
      for (size_t b = 0; b < a; ++b)
        if (raced[a] >> b & 1)
          for (const Race &race : conflictsOf(activities[a], activities[b]))
            verdict.races.insert(race);
    for (const Reader &reader : readers)
      if (reader.uninitialised)
        verdict.uninitialised.insert(
            {activities[reader.activity].tile, activities[reader.activity].instruction, reader.operand});
  }

  const std::vector<std::vector<Instruction>> &code;
  unsigned depth;
  const InitialBytes &initial;
  std::vector<Tile> tiles;
  unsigned numCounters;
  std::vector<Activity> activities; // at most 64, since a set of activities is a 64-bit mask
  std::vector<uint64_t> conflicts, raced;
  std::vector<Reader> readers;
  std::array<unsigned, mostTiles * numParts> width{};
  KeySet seen;
  Verdict verdict;
};

} // namespace

std::optional<Verdict> exploreInterleavings(const Program &program, uint32_t stage,
                                            const InitialBytes &initial, size_t mostStates) {
  return Explorer(program, stage, initial).run(mostStates);
}

} // namespace tilerig::test
