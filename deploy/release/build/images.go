package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Contents of an image besides the program, as in deploy/Dockerfile.
const (
	user        = "65532:65532"
	passwd      = "scorelay:x:65532:65532:scorelay:/:/sbin/nologin\n"
	group       = "scorelay:x:65532:\n"
	authorities = "/etc/ssl/certs/ca-certificates.crt"
)

// images writes a multi-platform OCI archive for each program, and chart values with the images' digests.
func (r *release) images(context.Context) error {
	values := fmt.Sprintf("# The images of Scorelay %s, wherever they are copied to with all their platforms.\nimage:\n  tag: %s\n  digests:\n", r.number(), r.number())
	for _, program := range programs {
		fmt.Fprintf(r.log, "build: the image %s\n", program)
		index, err := r.image(program)
		if err != nil {
			return fmt.Errorf("couldn't make the image %s: %w", program, err)
		}
		digest, err := index.Digest()
		if err != nil {
			return err
		}
		values += fmt.Sprintf("    %s: %s\n", program, digest)
		folder := filepath.Join(r.source, "..", "image-"+program)
		if err := r.lay(folder, program, index); err != nil {
			return err
		}
		contents, err := below(folder)
		if err != nil {
			return err
		}
		packed, err := archive(r.made, contents) // uncompressed: the layers are already compressed
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.out, fmt.Sprintf("%s-%s-image.tar", program, r.number())), packed, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(r.out, "images-"+r.number()+".yaml"), []byte(values), 0o644)
}

func (r *release) image(program string) (v1.ImageIndex, error) {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, target := range targets {
		layer, err := r.layer(filepath.Join(r.built(target.arch), program), program)
		if err != nil {
			return nil, err
		}
		image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
		if image, err = mutate.AppendLayers(image, layer); err != nil {
			return nil, err
		}
		config, err := image.ConfigFile()
		if err != nil {
			return nil, err
		}
		config = config.DeepCopy()
		config.OS, config.Architecture, config.Created = "linux", target.arch, v1.Time{Time: r.made}
		config.Config = v1.Config{
			User: user, Entrypoint: []string{"/" + program},
			Labels: map[string]string{
				"org.opencontainers.image.title": "Scorelay", "org.opencontainers.image.licenses": "Apache-2.0",
				"org.opencontainers.image.version": r.number(), "org.opencontainers.image.revision": r.commit,
			},
		}
		if program == "api" {
			config.Config.ExposedPorts = map[string]struct{}{"8080/tcp": {}}
		}
		if image, err = mutate.ConfigFile(image, config); err != nil {
			return nil, err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: target.arch}},
		})
	}
	return index, nil
}

// layer returns the only layer of an image: the program, CA certificates, passwd and group.
func (r *release) layer(path, program string) (v1.Layer, error) {
	made := filepath.Join(r.source, "..", "etc")
	if err := os.MkdirAll(made, 0o755); err != nil {
		return nil, err
	}
	contents := []file{{authorities, authorities[1:], 0o644}, {path, program, 0o755}}
	for name, text := range map[string]string{"group": group, "passwd": passwd} {
		if err := os.WriteFile(filepath.Join(made, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	contents = append(contents, file{filepath.Join(made, "group"), "etc/group", 0o644}, file{filepath.Join(made, "passwd"), "etc/passwd", 0o644})
	content, err := zipped(r.made, contents)
	if err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }, tarball.WithMediaType(types.OCILayer))
}

// lay writes an image into a folder in the OCI layout, under its name in compose files and the chart.
func (r *release) lay(folder, program string, index v1.ImageIndex) error {
	image, err := layout.Write(folder, empty.Index)
	if err != nil {
		return err
	}
	return image.AppendIndex(index, layout.WithAnnotations(map[string]string{
		"org.opencontainers.image.ref.name": r.number(), "io.containerd.image.name": "localhost/scorelay/" + program + ":" + r.number(),
	}))
}

// below returns all files below a folder in lexical order, with mode 0644.
func below(folder string) (files []file, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		files = append(files, file{path, filepath.ToSlash(name), 0o644})
		return err
	})
	return files, err
}
