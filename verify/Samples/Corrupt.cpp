#include "verify/Samples/Corrupt.h"

#include <algorithm>
#include <numeric>

namespace tilerig::verify {

namespace {

using Indices = std::vector<size_t>;

bool hasSignBit(DType type) {
  return type == DType::f16 || type == DType::bf16 || type == DType::f32 || type == DType::f64;
}

// Elements as their bytes.
class Cells {
public:
  explicit Cells(Tensor &tensor)
      : bytes(tensor.mutableBytes()), each(sizeBytes(tensor.dtype())), isFloat(hasSignBit(tensor.dtype())),
        before(bytes.begin(), bytes.end()) {}

  size_t count() const { return bytes.size() / each; }
  // What was at `from`, whatever has become of it.
  void take(size_t to, size_t from) { std::copy_n(&before[from * each], each, &bytes[to * each]); }
  // Not among the highest, which of floats are the exponent.
  void flipLowBit(size_t at, uint64_t bit) {
    const size_t low = 8 * each / 2;
    bytes[at * each + bit % low / 8] ^= std::byte{1} << (bit % low % 8);
  }
  // Of integers the complement, which is one step from it.
  void negate(size_t at) {
    if (isFloat)
      bytes[at * each + each - 1] ^= std::byte{0x80};
    else
      for (size_t i = 0; i < each; ++i)
        bytes[at * each + i] = ~bytes[at * each + i];
  }

private:
  std::span<std::byte> bytes;
  size_t each;
  bool isFloat;
  std::vector<std::byte> before;
};

// --- Which elements ---

struct Extent {
  const char *words;
  Indices (*draw)(size_t count, Draw &draw);
};

Indices everywhere(size_t count, Draw &) {
  Indices all(count);
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}
Indices range(size_t count, Draw &draw) {
  const size_t length = 1 + draw.below(count), first = draw.below(count - length + 1);
  Indices some(length);
  std::iota(some.begin(), some.end(), first);
  return some;
}
Indices comb(size_t count, Draw &draw) {
  const size_t step = 2 + draw.below(30);
  Indices some;
  for (size_t i = draw.below(step); i < count; i += step)
    some.push_back(i);
  return some;
}
Indices scattered(size_t count, Draw &draw) {
  const uint64_t perMille = 1 + draw.below(300);
  Indices some;
  for (size_t i = 0; i < count; ++i)
    if (draw.below(1000) < perMille)
      some.push_back(i);
  return some;
}

constexpr Extent extents[] = {
    {"everywhere", everywhere}, {"in a range", range}, {"on a comb", comb}, {"scattered", scattered}};

// --- What becomes of them ---

struct Change {
  const char *words;
  void (*apply)(Cells &cells, const Indices &which, Draw &draw);
};

void shuffle(Cells &cells, const Indices &which, Draw &draw) {
  Indices from = which;
  draw.shuffle(from);
  for (size_t i = 0; i < which.size(); ++i)
    cells.take(which[i], from[i]);
}
void shuffleBlocks(Cells &cells, const Indices &which, Draw &draw) {
  const size_t length = size_t{2} << draw.below(6), blocks = which.size() / length;
  Indices from(blocks);
  std::iota(from.begin(), from.end(), size_t{0});
  draw.shuffle(from);
  for (size_t i = 0; i < blocks * length; ++i)
    cells.take(which[i], which[from[i / length] * length + i % length]);
}
void reverse(Cells &cells, const Indices &which, Draw &) {
  for (size_t i = 0; i < which.size(); ++i)
    cells.take(which[i], which[which.size() - 1 - i]);
}
void hold(Cells &cells, const Indices &which, Draw &draw) {
  const size_t length = 2 + draw.below(14);
  for (size_t i = 0; i < which.size(); ++i)
    cells.take(which[i], which[i / length * length]);
}
void replace(Cells &cells, const Indices &which, Draw &draw) {
  for (size_t at : which)
    cells.take(at, draw.below(cells.count()));
}
void flipBits(Cells &cells, const Indices &which, Draw &draw) {
  for (size_t at : which)
    cells.flipLowBit(at, draw.next() >> 1);
}
void negate(Cells &cells, const Indices &which, Draw &draw) {
  for (size_t at : which)
    if (draw.chance(50))
      cells.negate(at);
}

constexpr Change changes[] = {{"shuffled", shuffle}, {"blocks shuffled", shuffleBlocks}, {"reversed", reverse},
                              {"held", hold},        {"replaced", replace},             {"bits flipped", flipBits},
                              {"signs", negate}};

} // namespace

Corrupted corrupt(const Tensor &tensor, Draw &draw) {
  Corrupted corrupted{tensor, ""};
  if (tensor.elementCount() == 0)
    return corrupted;
  const int times = draw.chance(30) ? 2 : 1;
  for (int i = 0; i < times; ++i) {
    const Extent &extent = extents[draw.below(std::size(extents))];
    const Change &change = changes[draw.below(std::size(changes))];
    Cells cells(corrupted.tensor);
    change.apply(cells, extent.draw(cells.count(), draw), draw);
    corrupted.words += std::string(i ? ", " : "") + change.words + " " + extent.words;
  }
  return corrupted;
}

} // namespace tilerig::verify
