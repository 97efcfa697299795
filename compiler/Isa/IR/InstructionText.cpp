// Parsing and printing of instruction operands, driven by the field tables of isa/Instructions. The assembler
// defines the syntax (isa/Assembly/Grammar.h), so its code also prints operands here. The assembler's
// parser cannot be used, because MLIR gives access to tokens and not to text.
#include "compiler/Isa/IR/InstructionOp.h"

#include "isa/Assembly/PackedStrides.h"
#include "isa/Assembly/Printer.h"
#include "isa/Assembly/Text.h"
#include "isa/Base/Support/Nearest.h"
#include "isa/Instructions/Codec.h"
#include "isa/Instructions/FieldText.h"

#include <charconv>
#include <cmath>
#include <llvm/ADT/StringExtras.h>
#include <mlir/IR/Builders.h>

namespace tilerig::compiler::isa {

namespace {

using mlir::failed;
using mlir::failure;
using mlir::ParseResult;

// --- Printing of instruction operands ---

// Prints a float in decimal with a point. MLIR parses decimals as double and then rounds to float; if that
// would give another float, prints the bits instead.
void appendMlirFloat(std::string &out, float value) {
  std::string text;
  appendFloat(text, value);
  const size_t exponent = text.find('e');
  if (text.find('.') == std::string::npos)
    text.insert(std::min(exponent, text.size()), ".0");
  const bool isExact =
      std::isfinite(value) && static_cast<float>(std::strtod(text.c_str(), nullptr)) == value;
  if (isExact)
    out += text;
  else
    appendHex(out, std::bit_cast<uint32_t>(value));
}

size_t depthOf(mlir::Operation *operation) {
  size_t depth = 0;
  while ((operation = operation->getParentOp()))
    ++depth;
  return depth;
}

// --- Parsing of instruction operands ---

class OperandReader {
public:
  explicit OperandReader(mlir::OpAsmParser &parser) : parser(parser) {}

  // Reads fields of `object`, written as "name = value", as long as names of its fields follow.
  template <class T>
  ParseResult read(llvm::StringRef whose, T &object) {
    static constexpr auto fields = T::fields();
    static constexpr auto names = std::apply(
        [](const auto &...statements) { return std::to_array<std::string_view>({statements.name...}); },
        fields);
    llvm::SmallVector<llvm::StringRef> allowed(names.begin(), names.end());
    uint32_t seen = 0;
    for (llvm::StringRef name; succeeded(parser.parseOptionalKeyword(&name, allowed));) {
      const auto index = static_cast<size_t>(llvm::find(allowed, name) - allowed.begin());
      if (seen >> index & 1)
        return parser.emitError(parser.getCurrentLocation()) << "the operand '" << name << "' is given twice";
      seen |= uint32_t{1} << index;
      if (parser.parseEqual())
        return failure();
      ParseResult done = mlir::success();
      [&]<size_t... i>(std::index_sequence<i...>) {
        ((i == index &&
          (done = readValue(std::get<i>(fields), object.*(std::get<i>(fields).member)), true)) ||
         ...);
      }
      (std::make_index_sequence<names.size()>());
      if (failed(done))
        return failure();
    }
    return refuseOthers(whose, names);
  }

private:
  // Reports a "name =" that is not a field of the instruction; MLIR's own error would call the name an
  // unknown operation.
  ParseResult refuseOthers(llvm::StringRef whose, std::span<const std::string_view> names) {
    const llvm::SMLoc at = parser.getCurrentLocation();
    llvm::StringRef text(at.getPointer(), strnlen(at.getPointer(), 100));
    const llvm::StringRef name = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (name.empty() || !text.drop_front(name.size()).ltrim().starts_with("="))
      return mlir::success();
    return parser.emitError(at) << whose << " has no operand '" << name << "'; "
                                << suggestion(std::string_view(name), names);
  }

  template <class Statement, class Member>
  ParseResult readValue(const Statement &statement, Member &value) {
    if constexpr (std::is_same_v<Member, Stream>)
      return readStream(value);
    else if constexpr (std::is_same_v<Member, Vector>)
      return readVector(value);
    else if constexpr (requires { Member::fields(); })
      return failure(parser.parseLBrace() || read(statement.name, value) || parser.parseRBrace());
    else
      return readElement(statement, value);
  }

  // Reads an integer of at most 64 bits; negative only if `isSigned`.
  ParseResult readNumber(llvm::StringRef subject, bool isSigned, uint64_t &bits) {
    const llvm::SMLoc at = parser.getCurrentLocation();
    llvm::APInt number;
    const mlir::OptionalParseResult is = parser.parseOptionalInteger(number);
    if (!is.has_value())
      return parser.emitError(at) << "expected " << subject << " as an integer";
    if (failed(*is))
      return failure();
    if ((number.isNegative() && !isSigned) || number.getSignificantBits() > (number.isNegative() ? 64 : 65))
      return parser.emitError(at) << subject << " is out of range; expected "
                                  << (isSigned ? "an integer" : "an unsigned integer")
                                  << " of at most 64 bits";
    bits = number.isNegative() ? static_cast<uint64_t>(number.getSExtValue())
                               : number.zextOrTrunc(64).getZExtValue();
    return mlir::success();
  }

  template <class Owner, class Member>
  ParseResult readElement(const Field<Owner, Member> &field, Member &value) {
    const llvm::SMLoc at = parser.getCurrentLocation();
    if constexpr (NamedEnum<Member>) {
      if (readChoice(field.name, value))
        return failure();
    } else if constexpr (std::is_same_v<Member, float>) {
      llvm::APFloat number(0.0F);
      if (parser.parseFloat(llvm::APFloat::IEEEsingle(), number))
        return failure();
      value = number.convertToFloat();
    } else {
      uint64_t bits = 0;
      if (field.notation == Notation::set ? readSet(field.name, field.width, bits)
                                          : readNumber(field.name, std::signed_integral<Member>, bits))
        return failure();
      if (!fits<Member>(bits))
        return refuseRange(at, field);
      value = static_cast<Member>(bits);
    }
    return inRange(field, value) ? mlir::success() : refuseRange(at, field);
  }
  // Whether an integer fits the C++ type of an instruction's field. A field may have narrower limits, which
  // are checked later.
  template <class Member>
  static bool fits(uint64_t bits) {
    if constexpr (std::is_same_v<Member, bool>)
      return bits <= 1;
    else
      return static_cast<uint64_t>(static_cast<Member>(bits)) == bits;
  }
  template <class Owner, class Member>
  ParseResult refuseRange(llvm::SMLoc at, const Field<Owner, Member> &field) {
    return parser.emitError(at) << field.name << " is out of range; expected " << rangeText(field);
  }

  template <NamedEnum Enum>
  ParseResult readChoice(llvm::StringRef subject, Enum &value) {
    const auto &names = EnumNames<Enum>::values;
    const llvm::SMLoc at = parser.getCurrentLocation();
    llvm::StringRef name;
    if (failed(parser.parseOptionalKeyword(&name)))
      return parser.emitError(at) << "expected " << subject << ": " << listed(names);
    const auto match = std::ranges::find(names, std::string_view(name));
    if (match == names.end())
      return parser.emitError(at) << subject << " cannot be '" << name << "'; "
                                  << suggestion(std::string_view(name), names);
    value = static_cast<Enum>(match - names.begin());
    return mlir::success();
  }

  // Reads a set of numbers, for example {0-3, 7}.
  ParseResult readSet(llvm::StringRef subject, unsigned width, uint64_t &bits) {
    bits = 0;
    if (parser.parseLBrace())
      return failure();
    for (bool more = failed(parser.parseOptionalRBrace()); more;) {
      const llvm::SMLoc at = parser.getCurrentLocation();
      uint64_t low = 0, high = 0;
      if (readNumber(subject, false, low))
        return failure();
      high = low;
      if (succeeded(parser.parseOptionalMinus()) && readNumber(subject, false, high))
        return failure();
      if (low > high || high >= width)
        return parser.emitError(at) << "invalid range of " << subject << ": expected 0.." << width - 1
                                    << "; write the lower number of the range first";
      for (uint64_t bit = low; bit <= high; ++bit)
        bits |= uint64_t{1} << bit;
      more = succeeded(parser.parseOptionalComma());
      if (!more && parser.parseRBrace())
        return failure();
    }
    return mlir::success();
  }

  ParseResult readBase(uint64_t &base) {
    static constexpr auto field = std::get<3>(Stream::fields());
    const llvm::SMLoc at = parser.getCurrentLocation();
    if (parser.parseLSquare() || readNumber("address", false, base) || parser.parseRSquare())
      return failure();
    return inRange(field, base) ? mlir::success() : refuseRange(at, field);
  }

  ParseResult readStream(Stream &stream) {
    stream = {};
    if (succeeded(parser.parseOptionalKeyword("none")))
      return mlir::success();
    if (readChoice("element type", stream.type) || readChoice("memory", stream.space))
      return failure();
    const llvm::SMLoc at = parser.getCurrentLocation();
    if (uint8_t tile = 0; stream.space == Space::remote || isAtNumber()) {
      uint64_t number = 0;
      if (readNumber("tile", false, number))
        return failure();
      tile = static_cast<uint8_t>(number);
      if (tile != number)
        return parser.emitError(at) << "tile is out of range; expected 0..255";
      stream.tile = tile;
    }
    stream.dims.fill({1, 0});
    if (readBase(stream.base))
      return failure();
    return succeeded(parser.parseOptionalLess()) ? readDimensions(stream) : mlir::success();
  }
  bool isAtNumber() { return llvm::isDigit(*parser.getCurrentLocation().getPointer()); }

  // Reads the dimensions of a stream between < and >; outer dimensions that are omitted have size 1.
  ParseResult readDimensions(Stream &stream) {
    struct Written {
      Dimension dimension;
      bool isPacked;
    };
    llvm::SmallVector<Written, 5> written;
    const llvm::SMLoc at = parser.getCurrentLocation();
    do {
      uint64_t size = 0, stride = 0;
      if (readNumber("size", false, size))
        return failure();
      const bool isPacked = failed(parser.parseOptionalStar());
      if (!isPacked && readNumber("stride", false, stride))
        return failure();
      if (size > UINT32_MAX || stride > UINT32_MAX)
        return parser.emitError(at) << "a dimension is out of range; expected 0..4294967295";
      written.push_back({{static_cast<uint32_t>(size), static_cast<uint32_t>(stride)}, isPacked});
    } while (succeeded(parser.parseOptionalComma()));
    if (written.size() > stream.dims.size())
      return parser.emitError(at) << "a stream can have at most five dimensions";
    PackedStrides strides(stream.type);
    for (size_t i = written.size(); i-- > 0;) {
      auto &[dimension, isPacked] = written[i];
      const uint64_t stride = strides.strideOf(dimension.size);
      if (isPacked && stride > UINT32_MAX)
        return parser.emitError(at) << "a packed stride is out of range; expected 0..4294967295";
      if (isPacked)
        dimension.stride = static_cast<uint32_t>(stride);
      strides.enclose(dimension);
      stream.dims[stream.dims.size() - written.size() + i] = dimension;
    }
    return parser.parseGreater();
  }

  // Reads a vector operand. The parser accepts the illegal form none[address], an absent vector with an
  // address, because an instruction can encode it.
  ParseResult readVector(Vector &vector) {
    vector = {};
    vector.present = failed(parser.parseOptionalKeyword("none"));
    if (!vector.present && *parser.getCurrentLocation().getPointer() != '[')
      return mlir::success();
    if (readBase(vector.base))
      return failure();
    vector.broadcast = succeeded(parser.parseOptionalStar());
    return mlir::success();
  }

  mlir::OpAsmParser &parser;
};

template <class Member>
mlir::Attribute attributeOf(mlir::Builder &builder, Member value) {
  if constexpr (NamedEnum<Member>)
    return builder.getStringAttr(EnumNames<Member>::values[static_cast<size_t>(value)]);
  else if constexpr (std::is_same_v<Member, float>)
    return builder.getF32FloatAttr(value);
  else
    return builder.getI64IntegerAttr(static_cast<int64_t>(value));
}

template <class Member>
bool valueOf(mlir::Attribute attribute, Member &value) {
  if constexpr (NamedEnum<Member>) {
    const auto name = llvm::dyn_cast<mlir::StringAttr>(attribute);
    const auto &names = EnumNames<Member>::values;
    const auto match = name ? std::ranges::find(names, std::string_view(name.getValue())) : names.end();
    if (match == names.end())
      return false;
    value = static_cast<Member>(match - names.begin());
  } else if constexpr (std::is_same_v<Member, float>) {
    const auto real = llvm::dyn_cast<mlir::FloatAttr>(attribute);
    if (!real || !real.getType().isF32())
      return false;
    value = real.getValue().convertToFloat();
  } else {
    const auto integer = llvm::dyn_cast<mlir::IntegerAttr>(attribute);
    if (!integer || !integer.getType().isInteger(64))
      return false;
    value = static_cast<Member>(integer.getInt());
    return static_cast<int64_t>(value) == integer.getInt();
  }
  return true;
}

template <class T>
mlir::DictionaryAttr fieldsOf(mlir::Builder &builder, const T &instruction) {
  std::vector<uint64_t> defaults;
  forEachField(static_cast<const T &>(T{}), [&](const FieldPath &, const auto &, const auto &value,
                                                unsigned) { defaults.push_back(toBits(value)); });
  mlir::NamedAttrList all;
  size_t i = 0;
  forEachField(instruction, [&](const FieldPath &path, const auto &, const auto &value, unsigned) {
    if (toBits(value) != defaults[i++])
      all.append(fieldName(path), attributeOf(builder, value));
  });
  return all.getDictionary(builder.getContext());
}

} // namespace

mlir::ParseResult parseOperands(mlir::OpAsmParser &parser, Instruction &instruction) {
  return std::visit([&]<class T>(T &typed) { return OperandReader(parser).read(T::mnemonic, typed); },
                    instruction);
}

void printOperands(mlir::OpAsmPrinter &printer, mlir::Operation *operation, const Instruction &instruction) {
  std::string text;
  printInstruction(instruction, 2 * depthOf(operation), text, appendMlirFloat);
  printer << text.substr(mnemonicOf(instruction).size());
}

mlir::DictionaryAttr fieldsOf(mlir::MLIRContext *context, const Instruction &instruction) {
  mlir::Builder builder(context);
  return std::visit([&](const auto &typed) { return fieldsOf(builder, typed); }, instruction);
}

mlir::LogicalResult setFields(Instruction &instruction, mlir::Attribute fields, EmitError emitError) {
  const auto dictionary = llvm::dyn_cast_if_present<mlir::DictionaryAttr>(fields);
  if (!dictionary)
    return emitError() << "expected the instruction's fields in a dictionary";
  size_t numSet = 0;
  std::string wrong;
  const auto set = [&](const FieldPath &path, const auto &field, auto &value, unsigned) {
    const std::string name = fieldName(path);
    const mlir::Attribute attribute = dictionary.get(name);
    if (!attribute)
      return;
    ++numSet;
    if (!valueOf(attribute, value) || !inRange(field, value))
      wrong = wrong.empty() ? name + ": expected " + rangeText(field) : wrong;
  };
  std::visit([&](auto &typed) { forEachField(typed, set); }, instruction);
  if (!wrong.empty())
    return emitError() << wrong;
  if (numSet != dictionary.size())
    return emitError() << "the operation states a field that the instruction '" << mnemonicOf(instruction)
                       << "' does not have";
  return mlir::success();
}

llvm::hash_code hashOf(const Instruction &instruction) {
  llvm::hash_code hash = llvm::hash_value(instruction.index());
  std::visit(
      [&](const auto &typed) {
        forEachField(typed, [&](const FieldPath &, const auto &, const auto &value, unsigned) {
          hash = llvm::hash_combine(hash, toBits(value));
        });
      },
      instruction);
  return hash;
}

mlir::LogicalResult verifyRanges(mlir::Operation *operation, const Instruction &instruction) {
  if (const Status status = checkRanges(instruction); !status)
    return operation->emitOpError() << status.error().message();
  return mlir::success();
}

const Instruction &instructionOf(mlir::Operation *operation) {
  return *operation->getPropertiesStorageUnsafe().as<Instruction *>();
}

mlir::Operation *createInstruction(mlir::OpBuilder &builder, mlir::Location location,
                                   const Instruction &instruction) {
  const auto name =
      std::visit([]<class T>(const T &) { return InstructionOp<T>::getOperationName(); }, instruction);
  mlir::OperationState state(location, name);
  state.getOrAddProperties<Instruction>() = instruction;
  return builder.create(state);
}

} // namespace tilerig::compiler::isa
