# pfh bench runner: Ruby, OpenSSL::Digest.  Protocol: ../README.md
require "openssl"

ALGORITHMS = { "md5" => "MD5", "sha1" => "SHA1", "sha256" => "SHA256", "sha512" => "SHA512", "sha3-256" => "SHA3-256" }

def usage(reason)
  warn "hash: #{reason}\nusage: hash [--json] REPEAT WARMUP ALGO FILE\nALGO: #{ALGORITHMS.keys.join(' ')}"
  exit 2
end

def count(text, least)
  value = Integer(text, 10, exception: false)
  usage "REPEAT must be 1 or more, WARMUP 0 or more" if value.nil? || value < least
  value
end

def now(clock) = Process.clock_gettime(clock, :nanosecond)

json = ARGV.first == "--json"
ARGV.shift if json
usage "four operands are needed" if ARGV.length != 4
repeat = count(ARGV[0], 1)
warmup = count(ARGV[1], 0)
name = ALGORITHMS[ARGV[2]] or usage "unknown algorithm"
begin
  data = File.binread(ARGV[3])
rescue SystemCallError => e
  usage "cannot read FILE: #{e.message}"
end

if json
  puts %({"runtime":"Ruby","version":"#{RUBY_VERSION}","provider":"#{OpenSSL::OPENSSL_LIBRARY_VERSION}",) +
       %("algorithm":"#{ARGV[2]}","bytes":#{data.bytesize}})
end
(-warmup...repeat).each do |index|
  cpu = now(Process::CLOCK_PROCESS_CPUTIME_ID)
  wall = now(Process::CLOCK_MONOTONIC)
  hasher = OpenSSL::Digest.new(name)
  hasher.update(data)
  digest = hasher.digest
  wall = now(Process::CLOCK_MONOTONIC) - wall
  cpu = now(Process::CLOCK_PROCESS_CPUTIME_ID) - cpu
  next if index < 0
  hex = digest.unpack1("H*")
  if json
    puts %({"index":#{index},"digest":"#{hex}","wall_ns":#{wall},"cpu_ns":#{cpu}})
  else
    puts "#{index} #{hex} #{wall / 1_000_000}"
  end
end
