// The greeter greets, and reminds after its sleep, with a control plane of its own: `stepwell dev` on free ports.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestGreets(t *testing.T) {
	answer := call(t, startStepwell(t)+"greeter/greet", `"Ada"`)
	if !regexp.MustCompile(`^"(Hello|Welcome|Good to see you), Ada!"$`).MatchString(answer) {
		t.Error(answer)
	}
}

func TestRemindsAfterTheSleep(t *testing.T) {
	ingress := startStepwell(t)
	began := time.Now()
	answer := call(t, ingress+"greeter/remind", `{"name": "Ada", "about": "the tea", "seconds": 1}`)
	if answer != `"Ada is reminded of the tea"` || time.Since(began) < time.Second {
		t.Error(answer, time.Since(began))
	}
}

func call(t *testing.T, url string, body string) string {
	answer, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status, string(text), err)
	}
	return string(text)
}

// Returns the address of the ingress, once the handlers are registered.
func startStepwell(t *testing.T) string {
	address := freeAddress(t)
	go handlers().Start(t.Context(), address)
	// A stepwell that is not on the path: STEPWELL="node …/dist/stepwell.js" go test
	command := cmp.Or(os.Getenv("STEPWELL"), "stepwell")
	options := "dev --json --ingress-port 0 --admin-port 0 --register " + address + " --data-dir " + t.TempDir()
	control := exec.Command("sh", "-c", "exec "+command+" "+options)
	// A wrapper such as npx passes no signal on, so the signal goes to the whole group.
	control.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	log, err := control.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := control.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		syscall.Kill(-control.Process.Pid, syscall.SIGTERM)
		control.Wait()
	})
	// The log is JSON, a line for each event.
	var ingress string
	var seen []string
	for lines := bufio.NewScanner(log); lines.Scan(); {
		var line struct{ Event, Ingress string }
		seen = append(seen, lines.Text())
		if json.Unmarshal(lines.Bytes(), &line) != nil {
			continue
		}
		ingress = cmp.Or(line.Ingress, ingress)
		if line.Event == "deployment.registered" {
			go io.Copy(io.Discard, log)
			return ingress
		}
	}
	t.Fatal("stepwell did not start:\n", strings.Join(seen, "\n"))
	return ""
}

func freeAddress(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
