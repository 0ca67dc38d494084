#!/usr/bin/perl
# Checks that what names something elsewhere in the repository names something that is there:
#
#   links of the pages (Markdown), with their anchors as GitHub makes them of headings
#   paths of files and folders, in pages, comments and scripts
#   the version: of idp.control, META.json, CHANGELOG.md and the upgrade scripts
#
# Usage: check-names.pl [root of the repository]. Prints what is wrong; exits 1 if anything is.
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));

use File::Basename qw(dirname);
use File::Find;
use JSON::PP;

chdir($ARGV[0] // dirname(__FILE__) . '/..') or die "check-names: $!\n";

my $problems = 0;
sub complain { $problems++; print "$_[0]\n"; return }

sub slurp
{
	my ($file) = @_;
	open my $in, '<', $file or die "check-names: $file: $!\n";
	local $/;
	return scalar <$in>;
}

# What there is: not what a build leaves behind, and not what is measured.
my (%there, @sources);
find(
	{
		no_chdir => 1,
		wanted => sub {
			my $path = $_ =~ s{^\./}{}r;
			if ($path =~ m{^(\.git|build[^/]*|results|tmp_check|log)$}) { $File::Find::prune = 1; return }
			$there{$path} = 1;
			push @sources, $path
			  if -f && $path =~ m{\.(md|h|cpp|sql|sh|pl|pm|gp|txt|in)$|^Makefile$|^\.ci/};
		}
	},
	'.');
my %top = map { $_ => 1 } grep { -d && !/^\./ } keys %there;
my $top = join '|', sort grep { !m{/} } keys %top;

# --- links ---------------------------------------------------------------------------------------

# Headings as they stand, code blocks aside.
sub prose { return $_[0] =~ s/^```.*?^```[^\n]*$//gmsr }

my %anchors;
sub anchors
{
	my ($page) = @_;
	return $anchors{$page} //= do
	{
		my (%seen, %anchor);
		foreach my $heading (prose(slurp($page)) =~ /^#{1,6}\s+(.*?)\s*$/gm)
		{
			my $slug = lc($heading =~ s/\[([^]]*)\]\([^)]*\)/$1/gr);
			$slug =~ s/[^\w\- ]//g;
			$slug =~ s/ /-/g;
			my $count = $seen{$slug}++;
			$anchor{ $count ? "$slug-$count" : $slug } = 1;
		}
		\%anchor;
	};
}

foreach my $page (grep { /\.md$/ } sort @sources)
{
	my $text = prose(slurp($page)) =~ s/`[^`\n]*`//gr;
	while ($text =~ /\]\(([^()\s]+)\)/g)
	{
		my $link = $1;
		next if $link =~ /^(https?|mailto):/;
		my ($path, $anchor) = $link =~ /^([^#]*)(?:#(.*))?$/;
		my $target = $path eq '' ? $page : dirname($page) . "/$path";
		$target =~ s{^(\./)+}{};
		1 while $target =~ s{[^/]+/\.\./}{};
		if (!$there{$target}) { complain("$page: links to $link, which is not there") }
		elsif (defined $anchor && !($target =~ /\.md$/ && anchors($target)->{$anchor}))
		{
			complain("$page: links to $link, but no heading of $target makes that anchor");
		}
	}
}

# --- paths ---------------------------------------------------------------------------------------

# A path begins with a folder of the repository's root. Pages may leave out the end of a source's
# name. A source of another project is not named so.
foreach my $file (sort @sources)
{
	my $text = slurp($file);
	while ($text =~ m{(?<![\w/.\$\}*%-])((?:$top)/[\w./-]*)}g)
	{
		my $path = $1;
		my $line = 1 + (substr($text, 0, $-[1]) =~ tr/\n//);
		next if substr($text, $+[1], 1) =~ /[*%\$<{…]/;    # a pattern, or a name that is put together
		$path =~ s{[/.-]+$}{};
		next if $there{$path};
		next if grep { $there{"$path.$_"} } qw(h cpp);
		complain("$file:$line: names $path, which is not there");
	}
}

# --- the version ---------------------------------------------------------------------------------

my ($version) = slurp('idp.control') =~ /^default_version = '([^']+)'$/m;
my $meta = JSON::PP->new->decode(slurp('META.json') =~ s/([^\x00-\x7f])/sprintf '\\u%04x', ord $1/ger);
my ($changes) = slurp('CHANGELOG.md') =~ /^## (\S+)/m;
foreach (
	[ 'META.json, version', $meta->{version} ],
	[ 'META.json, provides', $meta->{provides}{idp}{version} ],
	[ 'CHANGELOG.md', $changes ],)
{
	my ($where, $other) = @$_;
	complain("$where: version $other, but idp.control says $version") if $other ne $version;
}
complain("no script of extension/ leads to version $version") unless grep { /--\Q$version\E\.sql$/ } @sources;
foreach my $key (qw(file docfile))
{
	my $path = $meta->{provides}{idp}{$key};
	complain("META.json, provides: $key $path is not there") unless $there{$path};
}

if ($problems)
{
	print "check-names: $problems problem(s)\n";
	exit 1;
}
print "check-names: all that is named is there\n";
