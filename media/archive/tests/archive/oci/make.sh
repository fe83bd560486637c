# Three layers by umoci, the tree that it unpacks of them, and the same image by skopeo.
umoci init --layout lay
umoci new --image lay:test
layer() {
    umoci unpack --rootless --image lay:test "$1"
    (cd "$1/rootfs" && "$1")
    umoci repack --image lay:test "$1"
}
first() {
    mkdir -p etc/dir usr/lib opt/deep/er
    echo one >etc/passwd && echo gone >etc/gone && echo d >etc/dir/d
    seq 1 100000 >usr/lib/big && ln usr/lib/big usr/lib/hard && ln -s usr/lib lib
    echo x >opt/deep/x && echo y >opt/deep/er/y
}
second() {
    echo two >etc/passwd && rm -r etc/gone opt/deep etc/dir && mkdir opt/deep
    echo new >opt/deep/z && echo file >etc/dir && ln usr/lib/big usr/lib/hard2 && echo via >lib/via
}
third() {
    rm etc/dir lib usr/lib/hard && mkdir etc/dir lib
    rm -r opt/deep && ln -s ../usr/lib opt/deep && echo z >usr/lib/z
    echo again >etc/dir/again && echo own >lib/own && ln usr/lib/hard2 usr/lib/hard3
}
for name in first second third; do layer "$name"; done
umoci unpack --rootless --image lay:test out
(cd lay && tar -cf ../oci.tar .)
skopeo copy -q oci:lay:test docker-archive:docker.tar:some/name:1.0
skopeo copy -q oci:lay:test oci-archive:archive.tar:test
skopeo copy -q --dest-compress-format zstd oci:lay:test oci-archive:zstd.tar:test
