// Prints one instruction: writes the fields that differ from their default on one line, then breaks long
// lines.
#include "isa/Assembly/PackedStrides.h"
#include "isa/Assembly/Printer.h"
#include "isa/Assembly/Text.h"

#include <bit>
#include <vector>

namespace tilerig {

namespace {

// Where an operand stands in the instruction's single line, before the line is broken. A group is an operand
// of the form name={...}; its operands follow its own entry, with depth + 1.
struct Operand {
  size_t begin, end;
  unsigned depth;
  bool isStream;
};

void appendDimensions(std::string &out, const Stream &stream) {
  size_t first = 0;
  while (first < stream.dims.size() && stream.dims[first] == Dimension{1, 0})
    ++first;
  if (first == stream.dims.size())
    return;
  std::array<bool, 5> packed;
  PackedStrides strides(stream.type);
  for (size_t i = stream.dims.size(); i-- > first;) {
    packed[i] = strides.strideOf(stream.dims[i].size) == stream.dims[i].stride && stream.dims[i].size != 0;
    strides.enclose(stream.dims[i]);
  }
  out += " <";
  for (size_t i = first; i < stream.dims.size(); ++i) {
    if (i > first)
      out += ", ";
    appendUnsigned(out, stream.dims[i].size);
    if (!packed[i]) {
      out += '*';
      appendUnsigned(out, stream.dims[i].stride);
    }
  }
  out += '>';
}

void appendStream(std::string &out, const Stream &stream) {
  out += EnumNames<ElementType>::values[static_cast<size_t>(stream.type)];
  out += ' ';
  out += EnumNames<Space>::values[static_cast<size_t>(stream.space)];
  if (stream.space == Space::remote || stream.tile != 0) {
    out += ' ';
    appendUnsigned(out, stream.tile);
  }
  out += '[';
  appendHex(out, stream.base);
  out += ']';
  appendDimensions(out, stream);
}

void appendVector(std::string &out, const Vector &vector) {
  out += vector.present ? "[" : "none[";
  appendHex(out, vector.base);
  out += vector.broadcast ? "]*" : "]";
}

// Whether all operands are plain fields and none is a stream, vector or group, as in control instructions.
template <class T>
constexpr bool isElementary = std::apply(
    [](const auto &...statements) { return (requires { statements.width; } && ...); }, T::fields());

// Whether an operand is printed even if it has its default value. This holds for operands whose type is an
// enumeration, and, in instructions without streams, vectors and groups, for all fields except the layer, as
// in `wait engine=dma_in semaphore=0 value=1`. It never holds for operands inside a group.
template <class T, class Member>
constexpr bool alwaysShown(std::string_view name) {
  if constexpr (requires { T::opcode; })
    return NamedEnum<Member> || (isElementary<T> && name != layerField<T>().name);
  else
    return false;
}

class InstructionWriter {
public:
  InstructionWriter(size_t indent, std::string &out, FloatSpelling spelling)
      : indent(indent), out(out), start(out.size()), spelling(spelling) {
    operands.reserve(64);
  }

  template <class T>
  void write(const T &instruction) {
    static constexpr T defaults{};
    out += T::mnemonic;
    writeFields(instruction, defaults);
    if (indent + out.size() - start > textWidth)
      breakLines();
  }

private:
  template <class T>
  void writeFields(const T &object, const T &defaults) {
    std::apply([&](const auto &...statements) { (writeOne(statements, object, defaults), ...); },
               T::fields());
  }

  template <class Statement, class T>
  void writeOne(const Statement &statement, const T &object, const T &defaults) {
    const auto &value = object.*(statement.member);
    const auto &defaultValue = defaults.*(statement.member);
    using Member = std::remove_cvref_t<decltype(value)>;
    constexpr bool isStream = std::is_same_v<Member, Stream>, isVector = std::is_same_v<Member, Vector>;
    if constexpr (isStream || isVector) {
      if (value == defaultValue)
        return;
      beginOperand(statement.name, isStream);
      if constexpr (isStream)
        appendStream(out, value);
      else
        appendVector(out, value);
      operands.back().end = out.size();
    } else if constexpr (requires { Member::fields(); }) {
      writeGroup(statement.name, value, defaultValue);
    } else if (alwaysShown<T, Member>(statement.name) || !sameBits(value, defaultValue)) {
      beginOperand(statement.name, false);
      writeElement(statement, value);
      operands.back().end = out.size();
    }
  }

  void beginOperand(std::string_view name, bool isStream) {
    if (out.back() != '{')
      out += ' ';
    operands.push_back({out.size(), 0, depth, isStream});
    out += name;
    out += '=';
  }

  // Writes a group as name={...}. If all its fields are omitted because they have their default values, the
  // group is removed again.
  template <class Member>
  void writeGroup(std::string_view name, const Member &value, const Member &defaultValue) {
    size_t before = out.size(), operand = operands.size();
    beginOperand(name, false);
    out += '{';
    ++depth;
    writeFields(value, defaultValue);
    --depth;
    if (operands.size() > operand + 1) {
      out += '}';
      operands[operand].end = out.size();
    } else {
      out.resize(before);
      operands.pop_back();
    }
  }

  template <class Statement, class Member>
  void writeElement(const Statement &statement, Member value) {
    if constexpr (NamedEnum<Member>)
      out += EnumNames<Member>::values[static_cast<size_t>(value)];
    else if constexpr (std::is_same_v<Member, float>)
      spelling(out, value);
    else if constexpr (std::signed_integral<Member>)
      appendInteger(out, value);
    else if (statement.notation == Notation::set)
      appendSet(out, value);
    else if (statement.notation == Notation::bits)
      appendHex(out, value);
    else
      appendUnsigned(out, value);
  }

  // Compares the bits of floats, so that -0 differs from 0 and a NaN equals itself.
  template <class Member>
  static bool sameBits(Member left, Member right) {
    if constexpr (std::is_same_v<Member, float>)
      return std::bit_cast<uint32_t>(left) == std::bit_cast<uint32_t>(right);
    else
      return left == right;
  }

  void breakLines();
  void breakOperands(size_t first, size_t margin);
  void startLine(size_t margin) {
    out += '\n';
    out.append(margin, ' ');
  }
  size_t column() const {
    size_t lineBegin = out.rfind('\n') + 1; // rfind gives npos if there is no line end, and npos + 1 is 0
    return lineBegin > start ? out.size() - lineBegin : indent + out.size() - start;
  }

  size_t indent;
  std::string &out;
  size_t start;
  FloatSpelling spelling;
  unsigned depth = 0;
  std::vector<Operand> operands;
  std::string flat; // the instruction as a single line, from which breakLines() makes several
};

// Breaks the line. Operands fill lines; each stream gets its own line, and a group longer than a line is
// split over several.
void InstructionWriter::breakLines() {
  flat = out.substr(start);
  for (Operand &operand : operands) {
    operand.begin -= start;
    operand.end -= start;
  }
  out.resize(start);
  out.append(flat, 0, flat.find(' '));
  breakOperands(0, indent + 4);
}

// Writes the operands of one group, beginning with the operand of index `first`, broken into lines that are
// indented by `margin` blanks.
void InstructionWriter::breakOperands(size_t first, size_t margin) {
  unsigned level = operands[first].depth;
  bool ownLine = level > 0;
  size_t i = first;
  while (i < operands.size() && operands[i].depth == level) {
    const Operand &operand = operands[i];
    size_t length = operand.end - operand.begin;
    if (ownLine || operand.isStream || column() + 1 + length > textWidth)
      startLine(margin);
    else
      out += ' ';
    ownLine = operand.isStream;
    size_t inside = ++i;
    while (i < operands.size() && operands[i].depth > level)
      ++i;
    if (i > inside && margin + length > textWidth) {
      out.append(flat, operand.begin, operands[inside].begin - operand.begin);
      breakOperands(inside, margin + 4);
      startLine(margin);
      out += '}';
      ownLine = true;
    } else {
      out.append(flat, operand.begin, length);
    }
  }
}

} // namespace

void printInstruction(const Instruction &instruction, size_t indent, std::string &out,
                      FloatSpelling spelling) {
  InstructionWriter writer(indent, out, spelling ? spelling : appendFloat);
  std::visit([&](const auto &typed) { writer.write(typed); }, instruction);
}

std::string printInstruction(const Instruction &instruction) {
  std::string out;
  printInstruction(instruction, 0, out);
  return out;
}

} // namespace tilerig
