#include "tests/support/RandomInstruction.h"

namespace tilerig::test {
namespace {

template <class T>
Instruction make(Random &random, const Site &site) {
  return randomOf<T>(random, site);
}

template <class... Types>
constexpr auto makersOf(std::variant<Types...> *) {
  return std::array{&make<Types>...};
}
constexpr auto makers = makersOf(static_cast<Instruction *>(nullptr));

} // namespace

Instruction randomInstruction(Random &random, const Site &site) { return random.pick(makers)(random, site); }

} // namespace tilerig::test
