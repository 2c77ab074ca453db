//===- Testing.cpp - Files, processes and layouts for tests ---------------===//

#include "Testing.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace tapestry::rt;
using namespace tapestry::rt::testing;

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

TempFolder::TempFolder() {
  const char *base = getenv("TMPDIR");
  std::string name =
      std::string(base ? base : "/tmp") + "/tapestry-rt-test-XXXXXX";
  path = mkdtemp(name.data());
}

TempFolder::~TempFolder() {
  for (const std::string &name : entries())
    if (unlink(file(name).c_str()) != 0)
      rmdir(file(name).c_str());
  rmdir(path.c_str());
}

std::vector<std::string> TempFolder::entries() const {
  std::vector<std::string> names;
  DIR *folder = opendir(path.c_str());
  while (dirent *entry = readdir(folder)) {
    std::string name = entry->d_name;
    if (name != "." && name != "..")
      names.push_back(name);
  }
  closedir(folder);
  std::sort(names.begin(), names.end());
  return names;
}

std::string tapestry::rt::testing::readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void tapestry::rt::testing::writeFile(const std::string &path,
                                      const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

bool tapestry::rt::testing::fileExists(const std::string &path) {
  return access(path.c_str(), F_OK) == 0;
}

std::string tapestry::rt::testing::npyBytes(const std::string &descr,
                                            bool fortranOrder,
                                            const std::vector<int64_t> &shape,
                                            const std::string &data,
                                            int major) {
  std::string text = "{'descr': '" + descr + "', 'fortran_order': " +
                     (fortranOrder ? "True" : "False") + ", 'shape': (";
  for (int64_t extent : shape)
    text += std::to_string(extent) + ",";
  text += "), }";
  while ((text.size() + 13) % 16 != 0)
    text += ' ';
  text += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(major);
  bytes += '\0';
  for (int byte = 0; byte < (major == 1 ? 2 : 4); ++byte)
    bytes += static_cast<char>(text.size() >> (8 * byte) & 0xff);
  return bytes + text + data;
}

std::string tapestry::rt::testing::npyData(const std::string &bytes) {
  if (bytes.size() < 10)
    return "";
  auto low = static_cast<unsigned char>(bytes[8]);
  auto high = static_cast<unsigned char>(bytes[9]);
  return bytes.substr(std::min<size_t>(10 + low + 256 * high, bytes.size()));
}

std::vector<int64_t> tapestry::rt::testing::numbersOf(const std::string &json,
                                                      const std::string &key) {
  std::vector<int64_t> numbers;
  std::string wanted = "\"" + key + "\": ";
  for (size_t at = json.find(wanted); at != std::string::npos;
       at = json.find(wanted, at + 1))
    numbers.push_back(strtoll(json.c_str() + at + wanted.size(), nullptr, 10));
  return numbers;
}

std::string tapestry::rt::testing::withoutProgress(const std::string &err) {
  std::string left;
  std::stringstream lines(err);
  for (std::string line; std::getline(lines, line);)
    if (line.find(": run ") == std::string::npos ||
        line.find(" of ") == std::string::npos || line.back() != 's')
      left += line + "\n";
  return left;
}

ProcessResult tapestry::rt::testing::runCommand(const std::string &command) {
  TempFolder folder;
  auto begin = std::chrono::steady_clock::now();
  std::string whole = "( " + command + " ) > " + folder.file("out") + " 2> " +
                      folder.file("err") + " < /dev/null";
  int status = system(whole.c_str());
  ProcessResult result;
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  result.status =
      WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = readFile(folder.file("out"));
  result.err = withoutProgress(readFile(folder.file("err")));
  return result;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

Box tapestry::rt::testing::boxOfShape(const std::vector<int64_t> &shape) {
  Box box;
  for (int64_t extent : shape)
    box.push_back({0, extent});
  return box;
}

Range tapestry::rt::testing::block(int64_t extent, int64_t parts,
                                   int64_t index) {
  int64_t size = (extent + parts - 1) / parts;
  return {std::min(index * size, extent), std::min((index + 1) * size, extent)};
}

std::vector<Box>
tapestry::rt::testing::cutBoxes(const std::vector<int64_t> &shape, int dim,
                                int devices) {
  std::vector<Box> boxes(devices, boxOfShape(shape));
  for (int device = 0; device < devices; ++device)
    boxes[device][dim] = block(shape[dim], devices, device);
  return boxes;
}

Box tapestry::rt::testing::randomBox(const std::vector<int64_t> &shape,
                                     std::mt19937 &random) {
  Box box;
  for (int64_t extent : shape) {
    int64_t a = std::uniform_int_distribution<int64_t>(0, extent)(random);
    int64_t b = std::uniform_int_distribution<int64_t>(0, extent)(random);
    box.push_back({std::min(a, b), std::max(a, b)});
  }
  return box;
}
