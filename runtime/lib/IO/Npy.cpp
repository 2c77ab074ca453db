//===- Npy.cpp - The header of NumPy's file format ------------------------===//

#include "IO/Npy.h"
#include "Core/Types.h"
#include "tapestry-rt/Counted.h"
#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace tapestry;
using namespace tapestry::rt;

static constexpr char magic[] = "\x93NUMPY";
static constexpr int64_t magicBytes = 6;

static Status bad(std::string what) {
  return Status::failure(ExitBadInput, std::move(what));
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

namespace {
struct Descr {
  const char *kind; // without the byte order
  int32_t dtype;
};
} // namespace

// The first entry of a type is the one that is written, the first of a kind the
// one that messages name.
static constexpr Descr descrs[] = {
    {"f8", TAPESTRY_F64},  {"f4", TAPESTRY_F32},  {"f2", TAPESTRY_F16},
    {"V2", TAPESTRY_BF16}, {"u2", TAPESTRY_U16},  {"u2", TAPESTRY_BF16},
    {"i1", TAPESTRY_I8},   {"i2", TAPESTRY_I16},  {"i4", TAPESTRY_I32},
    {"i8", TAPESTRY_I64},  {"b1", TAPESTRY_BOOL}, {"u1", TAPESTRY_U8},
    {"u4", TAPESTRY_U32},  {"u8", TAPESTRY_U64},  {"c8", TAPESTRY_C64},
    {"c16", TAPESTRY_C128}};

/// What the descr is read as, by itself or as `wanted`, or null. Byte order
/// matters where there are several bytes.
static const Descr *findDescr(const std::string &descr, int32_t wanted = -1) {
  if (descr.size() < 2)
    return nullptr;
  for (const Descr &known : descrs) {
    if (descr.compare(1, std::string::npos, known.kind) != 0 ||
        (wanted >= 0 && known.dtype != wanted))
      continue;
    char order = descr[0];
    bool anyOrder = !strcmp(known.kind + 1, "1") || known.kind[0] == 'V';
    if (order == '<' || order == '=' || (anyOrder && strchr("|>", order)))
      return &known;
  }
  return nullptr;
}

bool tapestry::rt::descrMatches(const std::string &descr, int32_t dtype) {
  return findDescr(descr, dtype) != nullptr;
}

int32_t tapestry::rt::dtypeOfDescr(const std::string &descr) {
  const Descr *known = findDescr(descr);
  return known ? known->dtype : -1;
}

std::string tapestry::rt::descrText(const std::string &written) {
  std::string descr = printable(written);
  if (const Descr *known = findDescr(written)) {
    // Two bytes without a meaning are bf16 only where the program says so.
    if (known->dtype != TAPESTRY_BF16)
      return format("%s ('%s')", dtypeName(known->dtype), descr.c_str());
  } else if (!descr.empty() && descr[0] == '>') {
    return format("big-endian '%s'", descr.c_str());
  }
  return format("'%s'", descr.c_str());
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// Parses the header's text, a literal of a Python dictionary.
class HeaderParser {
public:
  explicit HeaderParser(const std::string &text) : text(text) {}
  Status parse(NpyHeader &header);

private:
  char peek() {
    while (at < text.size() && strchr(" \t\n\r", text[at]) && text[at])
      ++at;
    return at < text.size() ? text[at] : '\0';
  }
  bool take(char wanted) {
    if (peek() != wanted)
      return false;
    ++at;
    return true;
  }
  bool word(const char *wanted) {
    peek();
    size_t length = strlen(wanted);
    if (text.compare(at, length, wanted) != 0)
      return false;
    at += length;
    return true;
  }
  bool string(std::string &value);
  bool bracketed(std::string &value);
  bool number(int64_t &value);
  bool shape(std::vector<int64_t> &values);
  bool member(NpyHeader &header);

  const std::string &text;
  size_t at = 0;
  bool hasDescr = false;
  bool hasOrder = false;
  bool hasShape = false;
};

} // namespace

bool HeaderParser::string(std::string &value) {
  char quote = peek();
  if (quote != '\'' && quote != '"')
    return false;
  size_t end = text.find(quote, at + 1);
  if (end == std::string::npos)
    return false;
  value = text.substr(at + 1, end - at - 1);
  at = end + 1;
  return true;
}

/// A list, kept as text.
bool HeaderParser::bracketed(std::string &value) {
  if (peek() != '[')
    return false;
  size_t begin = at;
  int depth = 0;
  for (; at < text.size(); ++at) {
    depth += text[at] == '[';
    depth -= text[at] == ']';
    if (depth == 0) {
      ++at;
      value = text.substr(begin, at - begin);
      return true;
    }
  }
  return false;
}

bool HeaderParser::number(int64_t &value) {
  peek();
  size_t begin = at;
  value = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, text[at] - '0', &value))
      return false;
  if (at == begin)
    return false;
  take('L'); // Python 2 wrote long integers so
  return true;
}

bool HeaderParser::shape(std::vector<int64_t> &values) {
  if (!take('('))
    return false;
  values.clear();
  bool hasComma = true;
  while (!take(')')) {
    int64_t extent;
    if (!hasComma || !number(extent))
      return false;
    values.push_back(extent);
    hasComma = take(',');
  }
  // One number in parentheses is a number, and not a tuple.
  return hasComma || values.size() > 1;
}

bool HeaderParser::member(NpyHeader &header) {
  std::string key;
  if (!string(key) || !take(':'))
    return false;
  // None stands twice: which one would hold?
  if (key == "descr" && !std::exchange(hasDescr, true))
    return string(header.descr) || bracketed(header.descr);
  if (key == "fortran_order" && !std::exchange(hasOrder, true)) {
    header.fortranOrder = word("True");
    return header.fortranOrder || word("False");
  }
  return key == "shape" && !std::exchange(hasShape, true) &&
         shape(header.shape);
}

Status HeaderParser::parse(NpyHeader &header) {
  bool good = take('{');
  while (good && !take('}'))
    good = member(header) && (take(',') || peek() == '}');
  // Nothing but padding follows the dictionary.
  peek();
  if (!good || at < text.size())
    return bad(format("malformed header at its character %zu", at));
  if (!hasDescr || !hasOrder || !hasShape)
    return bad(format("the header lacks '%s'", !hasDescr   ? "descr"
                                               : !hasOrder ? "fortran_order"
                                                           : "shape"));
  return Status::success();
}

static Status readAll(int fd, char *data, int64_t bytes, int64_t offset) {
  while (bytes > 0) {
    ssize_t got = pread(fd, data, bytes, offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return bad("cannot read: " + errnoText(errno));
    if (got == 0)
      return bad("ends within its header");
    data += got;
    bytes -= got;
    offset += got;
  }
  return Status::success();
}

Status tapestry::rt::readNpyHeader(int fd, int64_t fileBytes,
                                   NpyHeader &header) {
  unsigned char start[12];
  if (fileBytes < 10)
    return bad(
        format("not an .npy file: %s", countOf(fileBytes, "byte").c_str()));
  Status status = readAll(fd, reinterpret_cast<char *>(start), 10, 0);
  if (status.failed())
    return status;
  if (memcmp(start, magic, magicBytes) != 0)
    return bad("not an .npy file: it does not start with \\x93NUMPY");
  int major = start[6];
  int minor = start[7];
  if (major < 1 || major > 3 || minor != 0)
    return bad(format("has .npy format %d.%d; 1.0, 2.0 and 3.0 are supported",
                      major, minor));
  int64_t prefix = 10;
  uint32_t length = start[8] | start[9] << 8;
  if (major > 1) {
    prefix = 12;
    status = readAll(fd, reinterpret_cast<char *>(start), 12, 0);
    if (status.failed())
      return status;
    length |= uint32_t(start[10]) << 16 | uint32_t(start[11]) << 24;
  }
  if (prefix + int64_t(length) > fileBytes)
    return bad(format("truncated: the header ends at byte %lld, the file has "
                      "%lld",
                      static_cast<long long>(prefix + length),
                      static_cast<long long>(fileBytes)));
  std::string text(length, '\0');
  status = readAll(fd, text.data(), length, prefix);
  if (status.failed())
    return status;
  header.dataOffset = prefix + length;
  return HeaderParser(text).parse(header);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::string tapestry::rt::makeNpyHeader(int32_t dtype, const int64_t *shape,
                                        int rank) {
  const Descr *descr = descrs;
  while (descr->dtype != dtype)
    ++descr;
  std::string text =
      format("{'descr': '%c%s', 'fortran_order': False, 'shape': (",
             dtypeSize(dtype) == 1 ? '|' : '<', descr->kind);
  for (int dim = 0; dim < rank; ++dim)
    text += format("%lld%s", static_cast<long long>(shape[dim]),
                   dim + 1 < rank ? ", "
                   : rank == 1    ? ","
                                  : "");
  text += "), }";
  // Padded so that the data is aligned; no shape comes near 64 KiB of text.
  int64_t total = magicBytes + 4 + static_cast<int64_t>(text.size()) + 1;
  text.append((64 - total % 64) % 64, ' ');
  text += '\n';

  std::string header(magic, magicBytes);
  header += '\x01';
  header += '\0';
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}
